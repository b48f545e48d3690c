"""Names in parts: what is divided, by which rule, and what stays whole."""

import pytest

from alexandria.book.people import EDITOR, Contributor, divide, people_of, split_names, stray_brace


def test_a_name_is_divided_by_the_rules_of_its_language() -> None:
    cases = {
        "plain": ("Jean-Paul Sartre", "en", "Jean-Paul||Sartre|"),
        "a capital particle": ("Ursula K. Le Guin", "en", "Ursula K.||Le Guin|"),
        "a small particle": ("Simone de Beauvoir", "en", "Simone|de|Beauvoir|"),
        "two particles": ("Jan van der Meer", "nl", "Jan|van der|Meer|"),
        "a particle is no given name alone": ("De Quincey", "en", "De||Quincey|"),
        "two family names": ("Gabriel García Márquez", "es", "Gabriel||García Márquez|"),
        "one family name in Spanish": ("Miguel de Unamuno", "es", "Miguel|de|Unamuno|"),
        "Hungarian": ("Kertész Imre", "hu", "Imre||Kertész|"),
        "Vietnamese": ("Nguyễn Nhật Ánh", "vi", "Nhật Ánh||Nguyễn|"),
        "a suffix": ("Martin Luther King, Jr.", "en", "Martin Luther||King|Jr."),
        "a suffix, sorted": ("King, Martin Luther, Jr.", "en", "Martin Luther||King|Jr."),
        "a suffix without its dot": ("Henry Louis Gates Jr", "en", "Henry Louis||Gates|Jr."),
        "titles": ("Dr. Oliver Sacks, M.D.", "en", "Oliver||Sacks|"),
        "a particle inside": ("Miguel de Cervantes Saavedra", "en", "Miguel|de|Cervantes Saavedra|"),
        "a given name with one": ("Juan de Dios Rodríguez", "en", "Juan de Dios||Rodríguez|"),
        "capitals": ("HERMAN MELVILLE", "en", "Herman||Melville|"),
        "capitals and initials": ("J. R. R. TOLKIEN", "en", "J. R. R.||Tolkien|"),
        "initials without dots": ("JRR TOLKIEN", "en", "JRR||Tolkien|"),
        "capitals with a hyphen": ("JEAN-PAUL SARTRE", "fr", "Jean-Paul||Sartre|"),
        "small letters stay": ("bell hooks", "en", "bell||hooks|"),
        "a particle, sorted": ("Beethoven, Ludwig van", "de", "Ludwig|van|Beethoven|"),
        "a particle before, sorted": ("de Gaulle, Charles", "fr", "Charles|de|Gaulle|"),
    }
    for name, language, parts in cases.values():
        person = divide(name, language=language)
        assert "|".join((person.given, person.particle, person.family, person.suffix)) == parts


FILED = {
    "es": """
        Ortega y Gasset, José | Ramón y Cajal, Santiago | Menéndez y Pelayo, Marcelino
        Calderón de la Barca, Pedro | Gómez de la Serna, Ramón | Giner de los Ríos, Francisco
        Ruiz de Alarcón, Juan | Núñez Cabeza de Vaca, Álvar | Ercilla y Zúñiga, Alonso de
        Unamuno, Miguel de | Casas, Bartolomé de las | Vega, Lope de | Castro, Rosalía de
        Alarcón, Pedro Antonio de | Jovellanos, Gaspar Melchor de | Valle-Inclán, Ramón María del
        Cervantes Saavedra, Miguel de | García Márquez, Gabriel | Vargas Llosa, Mario | Bioy Casares, Adolfo
        Borges, Jorge Luis | Bécquer, Gustavo Adolfo | Matute, Ana María | Neruda, Pablo""",
    "en": """
        Ortega y Gasset, José | Ramón y Cajal, Santiago | Calderón de la Barca, Pedro
        Condamine, Charles Marie de la | Mare, Walter de la | Le Guin, Ursula K. | Orwell, George
        De Quincey, Thomas | O’Brien, Flann""",
    "fr": """
        La Fontaine, Jean de | La Fayette, Marie de | du Bellay, Joachim
        Balzac, Honoré de | Gaulle, Charles de | Le Clézio, J. M. G.""",
    "ca": "Gaudí i Cornet, Antoni | Puig i Cadafalch, Josep | Rodoreda i Gurguí, Mercè | Sagarra, Josep de",
    "pt": """
        Cruz e Sousa, João da | Queirós, José Maria Eça de | Assis, Machado de | Santos, José dos
        Andrade, Carlos Drummond de | Pessoa, Fernando | Silva, Jorge António da""",
    "it": """
        Pico della Mirandola, Giovanni | Tomasi di Lampedusa, Giuseppe | Porta, Giovanni Battista della
        Medici, Lorenzo de' | De Luca, Erri | Calvino, Italo""",
    "nl": "Meer, Jan van der | Gogh, Vincent van | Multatuli, Eduard | Hart, Maarten 't",
    "de": "Goethe, Johann Wolfgang von | Mühlen, Hans zur | Droste-Hülshoff, Annette von | Kant, Immanuel",
    "ar": "al-Khwarizmi, Muhammad | Mahfouz, Naguib",
    "da": "Blixen, Karen | Ørsted, Hans Christian",
}
"""Names as they are filed, by the language of the book; the particle is last."""
FAMILY_FIRST = {"hu": "Kertész Imre", "vi": "Nguyễn Nhật Ánh"}


def names_filed() -> list[tuple[str, str]]:
    return [
        (language, name.strip())
        for language, names in FILED.items()
        for line in names.split("\n")
        for name in line.split("|")
        if name.strip()
    ]


@pytest.mark.parametrize(("language", "filed"), names_filed())
def test_a_name_is_filed_by_the_rules_of_its_language(language: str, filed: str) -> None:
    family, _, rest = filed.partition(", ")
    person = divide(f"{rest} {family}", language=language)
    particle = f" {person.particle}" if person.particle else ""
    assert f"{person.family}, {person.given}{particle}" == filed
    assert person.straight == person.name == f"{rest} {family}"
    assert divide(filed, language=language) == person
    assert split_names(filed) == [filed]


@pytest.mark.parametrize(("language", "name"), FAMILY_FIRST.items())
def test_family_names_may_be_first(language: str, name: str) -> None:
    family, _, given = name.partition(" ")
    assert divide(name, language=language) == Contributor(name=name, family=family, given=given)


def test_french_articles_belong_to_the_family_name() -> None:
    person = divide("Jean de la Fontaine", language="fr")
    assert (person.family, person.particle) == ("la Fontaine", "de")
    assert divide("Bartolomé de las Casas", language="es").particle == "de las"


def test_two_family_names_without_a_given_one_stay_whole() -> None:
    for name in ["Ramón y Cajal", "Calderón de la Barca", "Núñez de Balboa"]:
        assert divide(name, language="es").literal == name


def test_a_conjunction_joins_people_or_family_names() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("José Ortega y Gasset, Julián Marías", ["José Ortega y Gasset", "Julián Marías"]),
        ("Ortega y Gasset, José; Marías, Julián", ["Ortega y Gasset, José", "Marías, Julián"]),
        ("Pío Baroja y Julián Marías", ["Pío Baroja", "Julián Marías"]),
        ("Ann Reed y Bo Lind, Cy Moss", ["Ann Reed", "Bo Lind", "Cy Moss"]),
    ]
    for text, names in cases:
        assert split_names(text) == names


def test_what_is_uncertain_stays_whole() -> None:
    cases = [
        ("Plato", "Plato"),
        ("Saint Augustine", "Augustine"),
        ("Pliny the Elder", "Pliny the Elder"),
        ("Catherine of Siena", "Catherine of Siena"),
        ("World Health Organization", "World Health Organization"),
        ("European Research Council", "European Research Council"),
        ("Salt & Sons", "Salt & Sons"),
        ("村上春樹", "村上春樹"),
        ("Université de Paris", "Université de Paris"),
        ("The Brothers Grimm", "The Brothers Grimm"),
        ("Brüder Grimm", "Brüder Grimm"),
        ("Titus Lucretius Carus", "Lucretius"),
    ]
    for name, whole in cases:
        assert divide(name, language="en").literal == whole


def test_how_a_book_sorts_a_name_is_believed() -> None:
    cases = [
        ("Gabriel García Márquez", "García Márquez, Gabriel", "García Márquez"),
        ("bell hooks", "hooks, bell", "hooks"),
        ("W. E. B. Du Bois", "Du Bois, W. E. B.", "Du Bois"),
        ("Mao Zedong", "Mao, Zedong", "Mao"),
        ("Herman Melville", "MELVILLE, HERMAN", "Melville"),
        ("Herman Melville", "MELVILLE, Herman", "Melville"),
        ("Flann O’Brien", "O’BRIEN, Flann", "O’Brien"),
        ("IMMANUEL KANT", "KANT, IMMANUEL", "Kant"),
    ]
    for name, sorted_as, family in cases:
        assert divide(name, sorted_as=sorted_as).family == family


def test_a_name_sorted_as_it_stands_is_whole_and_an_organisation_is_never_turned() -> None:
    assert (
        divide("Leonardo di Ser Piero", sorted_as="Leonardo di Ser Piero").literal == "Leonardo di Ser Piero"
    )
    turned = divide("World Health Organization", sorted_as="Organization, World Health")
    assert turned.literal == "World Health Organization"


def test_a_name_is_displayed_as_it_was_typed_or_straight() -> None:
    assert divide("Sir Arthur Conan Doyle").name == "Sir Arthur Conan Doyle"
    assert divide("Le Guin, Ursula K.").name == "Ursula K. Le Guin"
    assert divide("Ludwig van Beethoven").straight == "Ludwig van Beethoven"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("Mary Shelley", ["Mary Shelley"]),
        ("Shelley, Mary", ["Shelley, Mary"]),
        ("Mary Shelley, Percy Shelley", ["Mary Shelley", "Percy Shelley"]),
        ("Toni Morrison and C. A. Smith", ["Toni Morrison", "C. A. Smith"]),
        ("Neil Gaiman & Terry Pratchett", ["Neil Gaiman", "Terry Pratchett"]),
        ("Reed, Ann; Lind, Bo", ["Reed, Ann", "Lind, Bo"]),
        ("King, Martin Luther, Jr.", ["King, Martin Luther, Jr."]),
        ("Le Guin, Ursula K.", ["Le Guin, Ursula K."]),
        ("García Márquez, Gabriel", ["García Márquez, Gabriel"]),
        ("Salt & Sons", ["Salt & Sons"]),
        ("Ministry of War and Peace", ["Ministry of War and Peace"]),
        ("William Strunk Jr., E. B. White", ["William Strunk Jr.", "E. B. White"]),
        ("Ann Reed, Bo Lind, and Cy Moss", ["Ann Reed", "Bo Lind", "Cy Moss"]),
        ("Marcus Aurelius, George Long", ["Marcus Aurelius", "George Long"]),
        ("Plato, Aristotle", ["Plato, Aristotle"]),
        ("{Marcus Aurelius}", ["{Marcus Aurelius}"]),
        ("{Marcus Aurelius}, {Plato}; Epictetus", ["{Marcus Aurelius}", "{Plato}", "Epictetus"]),
        ("Hadot, Pierre; {Marcus Aurelius}", ["Hadot, Pierre", "{Marcus Aurelius}"]),
        ("{Marcus Aurelius} and Hadot, Pierre", ["{Marcus Aurelius}", "Hadot, Pierre"]),
        ("Ann Reed, {Rod and Gun; Ltd}, and Bo Lind", ["Ann Reed", "{Rod and Gun; Ltd}", "Bo Lind"]),
        pytest.param("Ida {van Berg}", ["Ida {van Berg}"], id="braces in a name"),
        pytest.param("{Ann Reed, Bo Lind", ["{Ann Reed", "Bo Lind"], id="no pair"),
    ],
)
def test_several_names_in_one_field(text: str, names: list[str]) -> None:
    assert split_names(text) == names


def test_a_name_in_braces_is_left_whole_and_typed_with_them() -> None:
    cases = [("{Robin Hood}", ""), ("{ Robin Hood }", ""), ("{Robin Hood}", "Hood}, {Robin")]
    for name, sorted_as in cases:
        person = divide(name, sorted_as=sorted_as, role=EDITOR)
        assert person == Contributor(role=EDITOR, name="Robin Hood", literal="Robin Hood")
        assert person.typed == "{Robin Hood}"
        assert divide(person.typed, role=EDITOR) == person


def test_a_name_that_is_divided_as_displayed_is_typed_so() -> None:
    cases = [
        *("Marcus Aurelius", "Plato", "Barnes and Noble, Inc.", "Ursula K. Le Guin"),
        "Martin Luther King Jr.",
    ]
    for name in cases:
        assert divide(name).typed == name


def test_a_brace_that_encloses_no_whole_name_is_noticed() -> None:
    cases = ["{Marcus Aurelius", "Marcus Aurelius}", "Ida {van Berg}", "{}", "{A}{B}", "{{A}}"]
    for text in cases:
        assert stray_brace(text)
        assert stray_brace(f"Plato; {text}")
        assert not stray_brace("{Marcus Aurelius}; Plato and {Dio}")


def test_addresses_years_and_ranks_are_no_names() -> None:
    cases: list[tuple[str, list[str]]] = [
        ("Aurelius, Marcus", ["Marcus Aurelius"]),
        ("Marcus Aurelius, Emperor of Rome, 121-180", ["Marcus Aurelius"]),
        ("Teresa, of Avila, Saint, 1515-1582", ["Teresa of Avila"]),
        ("Thomas, Aquinas, Saint, 1225?-1274", ["Thomas Aquinas"]),
        ("Pliny, the Elder", ["Pliny the Elder"]),
        ("Wellington, Arthur Wellesley, Duke of, 1769-1852", ["Wellington, Arthur Wellesley"]),
        ("W. E. B. Du Bois, 1868–1963 and Ida Wells (b. 1862)", ["Du Bois, W. E. B.", "Wells, Ida"]),
        ("ada@harbour.example (Ada Penn); Cole, Ruth <r@c.example>", ["Penn, Ada", "Cole, Ruth"]),
        ("Sudo Maintainers", ["Sudo Maintainers"]),
        # As they are: what may be a rank or a year is a name.
        ("Ellington, Duke", ["Ellington, Duke"]),
        ("Jonson, Ben", ["Jonson, Ben"]),
        ("Class of 1984", ["Class of 1984"]),
        ("3M Company", ["3M Company"]),
    ]
    for stated, names in cases:
        people = people_of(stated)
        assert [one.literal or f"{one.family}, {one.given}" for one in people] == names
