"""The language is detected where a book names none, and only then."""

from pathlib import Path

from alexandria.extract import extract
from alexandria.extract.language import detect_language

TEXTS = {
    "en": "It was late in the evening, and nobody in the village had seen the old doctor since the storm.",
    "de": "Es war spät am Abend, und niemand im Dorf hatte den alten Arzt gesehen seit dem Sturm.",
    "fr": "Il était tard dans la soirée, et personne au village n’avait vu le vieux médecin.",
    "it": "Era sera tardi, e nessuno nel villaggio aveva visto il vecchio medico dalla tempesta.",
    "es": "Era tarde por la noche, y nadie en el pueblo había visto al viejo médico desde la tormenta.",
    "la": "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae, aliam Aquitani.",
    "hr": "Bila je kasna večer i nitko u selu nije vidio staroga liječnika prošli tjedan.",
    "sr": "Било је касно вече и нико у селу није видео старог лекара од почетка олује.",
    "ru": "Был поздний вечер, и никто в деревне не видел старого врача с тех пор, как началась буря на реке.",
    "ja": "夜も更けて、嵐が始まってから村の誰も年老いた医者の姿を見ていなかった。"
    "雨は朝まで降り続き、川の水は橋の上まで来ていた。"
    "それでも人々は待っていた。誰かが必ず来ると、みんなが信じていたからである。",
}


def test_a_paragraph_is_enough() -> None:
    for language, text in TEXTS.items():
        assert detect_language(text) == language


def test_croatian_bosnian_and_serbian_are_told_by_their_words() -> None:
    cases = {
        "hr": ("hr", "Tko je rekao što će biti idući tjedan? Nitko točno ne zna, ali netko će reći."),
        "bs": ("bs", "Ko je rekao šta će biti iduće sedmice? Niko tačno ne zna, ali neko će reći nešto."),
        "sr": ("sr", "Ko je rekao šta će uvek biti lepo? Dete i čovek na reci ovde čekaju lepo vreme."),
    }
    for language, text in cases.values():
        assert detect_language(text * 2) == language


def test_too_little_text_has_no_language() -> None:
    cases: dict[str, str] = {"nothing": "", "a word": "Hm.", "numbers": "1 2 3 4 5 6 7 8 9 " * 20}
    for text in cases.values():
        assert detect_language(text) is None


def test_a_preface_in_another_language_is_outvoted() -> None:
    assert detect_language(TEXTS["la"] * 10 + TEXTS["de"] * 200) == "de"


def test_a_book_without_a_language_gets_the_detected_one(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text(TEXTS["fr"])
    metadata = extract(path).metadata
    assert (metadata.language, metadata.language_source) == ("fr", "detected")
    path.write_text("Hm.")
    metadata = extract(path).metadata
    assert (metadata.language, metadata.language_source) == (None, None)
