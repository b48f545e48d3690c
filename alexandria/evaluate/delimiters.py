"""What separates the cells of CSV files: spreadsheets write semicolons in countries with a decimal comma."""


def delimiter_of(text: str) -> str:
    """Return what separates the cells of a CSV file, a semicolon or a comma, as its first line has it."""
    return ";" if ";" in text.partition("\n")[0] else ","
