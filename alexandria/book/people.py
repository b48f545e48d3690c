"""Who made a book: names in parts, as references need them, and how a name as displayed is divided.

A name is divided by the rules of its language, and left whole where that is uncertain: organisations, single
names, names in Chinese or Japanese characters. What a book states for sorting (`García Márquez, Gabriel`) is
believed. The parts are those of CSL-JSON.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from pathlib import Path

from alexandria.book.languages import primary_language
from alexandria.book.patterns import pattern
from alexandria.book.word_lists import read_lists

AUTHOR, EDITOR, TRANSLATOR = "author", "editor", "translator"
ROLES = {
    "aut": AUTHOR, "edt": EDITOR, "trl": TRANSLATOR, "ill": "illustrator", "aui": "introduction-author",
    "aft": "afterword-author", "cmm": "commentator", "com": "compiler", "nrt": "narrator", "pbl": "publisher",
    "ctb": "contributor", "clb": "collaborator", "bkp": "producer", "art": "artist", "pht": "photographer",
}  # fmt: skip
"""Roles by their MARC codes; one of another code keeps the code as its name."""


@dataclass(frozen=True, slots=True)
class Contributor:
    """A person or organisation and what they did; either `literal` or `family` is set."""

    role: str = AUTHOR
    name: str = ""  # as displayed, with titles and honours
    family: str = ""
    given: str = ""
    particle: str = ""
    """Between given and family name, such as `van`; a capitalised one belongs to `family` (`Le Guin`)."""
    suffix: str = ""
    literal: str = ""  # a name that is not divided

    @property
    def straight(self) -> str:
        """As printed on a title page: `Ludwig van Beethoven`, `Martin Luther King Jr.`"""
        if self.literal:
            return self.literal
        if self.is_family_first:
            return f"{self.family}{'' if _is_unspaced(self.family) else ' '}{self.given}".strip()
        parts = (self.given, self.particle, self.family, self.suffix)
        text = " ".join(part for part in parts if part)
        return text.replace("’ ", "’").replace("d' ", "d'")

    @property
    def is_family_first(self) -> bool:
        """Whether the language of the name puts the family name first: Chinese, Japanese, Vietnamese …"""
        return bool(self.family) and (_is_unspaced(self.family) or bool(_VIETNAMESE.search(self.family)))

    @property
    def typed(self) -> str:
        """As `--author` takes it: as sorted or in braces, if it would be divided otherwise as displayed."""
        divided = [(one.family, one.given, one.literal) for one in people_of(self.name)]
        if divided == [(self.family, self.given, self.literal)]:
            return self.name
        return f"{self.family}, {self.given}" if self.given else f"{{{self.straight}}}"

    def as_json(self) -> dict[str, str]:
        """Return the parts that are set."""
        return {name: value for name, value in asdict(self).items() if value}


def contributor_of(values: Mapping[str, str]) -> Contributor:
    """Return a contributor from what `Contributor.as_json` returns."""
    return Contributor(**values)


_LISTS = read_lists(Path(__file__).with_suffix(".txt"))
_BRACED = re.compile(r"\{\s*([^{}\s][^{}]*?)\s*\}")
_SEPARATOR = r"(?:[;,&]|\b(?:and|und|et|y)\b)"
_BRACED_AMONG_NAMES = re.compile(
    rf"(?:^|{_SEPARATOR})\s*(\{{[^{{}}]*[^{{}}\s][^{{}}]*\}})\s*(?=$|{_SEPARATOR})"
)
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|v)\.?|(?:[JS]u?n(?:io)?r)\.?", re.IGNORECASE)
_DEGREES = re.compile(r",?\s+(?:Ph\.? ?D|M\.? ?D|M\.? ?A|B\.? ?A|LL\.? ?[BMD]|D\.? ?D|F\.? ?R\.? ?S|Esq)\.?$")
_HONORIFIC = pattern(rf"(?:{'|'.join(_LISTS['titles'])})\.?\s+(?=\S)")
PARTICLES = frozenset(_LISTS["particles"])
"""Words before a family name that belong to it if they are in lower case."""
_JOINED = frozenset(_LISTS["joined"])
"""The same with a capital: they are written as a part of the family name."""
_ORGANISATION = pattern(rf"(?i)\b(?:{'|'.join(_LISTS['organisations'])})\b|& (?:sons|co|brothers)\b")
_NAME_WORD = re.compile(r"[^\W\d_]+(?:[.'’-]{1,2}[^\W\d_]+)*\.?")
_ARTICLES = frozenset(_LISTS["articles"])
_WHOLE = pattern("|".join(_LISTS["whole names"]))
_USUAL = dict(line.split(" = ") for line in _LISTS["usual names"])
_ADDRESS = re.compile(r"[<(\[]?\b(?:mailto:)?[\w.+-]+@[\w-]+(?:\.[\w-]+)+[>)\]]?")
_YEARS = pattern(
    r"(?:,\s*|\s\()(?:(?:active|approximately|about|born|died|ca?\.|b\.|d\.|fl\.)\s*)*"
    r"[-–]?\d[\w?./ –-]*?(?:\bB\.?C\.?(?:E\.?)?|\bC\.?E\.?|\bA\.?D\.?|centur(?:y|ies)|[\d?–-])\)?"
    r"(?=[,;]|\s(?:and|&)\s|\s*$)"
)  # those of a life, after a name as catalogues write it: `Plato, 428? BCE-348? BCE`
_RANK = pattern(
    rf",\s*(?:(?:Saint|St\.|Sir|Dame|pseud\.)|(?:{'|'.join(_LISTS['ranks'])}) of\b[^,;]*)(?=[,;]|$)"
)  # what else they write after it: `Augustine, Saint, Bishop of Hippo`
_EPITHET = re.compile(r"\b(?:the|of|the Elder|the Younger)\b|\bd[ae] Vinci\b")
_CONJUNCTION = re.compile(r"\s+(?:and|und|et|y|e|i|och|og|en|&)\s+|\s*&\s*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_VIETNAMESE = pattern(r"^(?:Nguyễn|Trần|Lê|Phạm|Hoàng|Huỳnh|Phan|Vũ|Võ|Đặng|Bùi|Đỗ|Hồ|Ngô|Dương|Lý|Tô|Đoàn)$")
_FAMILY_FIRST = frozenset(("hu", "vi"))
_TWO_FAMILY_NAMES = frozenset(("es", "ca", "gl"))
_LAST_ONLY = frozenset(("pt", "fr", "de", "nl"))
"""Languages that file under the last name, whatever precedes its particle."""
_SPANISH = re.compile(r"[^\W\d_]+[ei]z|.*[áíóúñ].*|Giner|Cabeza|Hurtado|Ponce")
"""A family name that is Spanish by its ending or its accents."""
_SURNAMES = re.compile(r"[^\W\d_]+ez|Ruiz|Ortiz|Calderón|Cabeza|Hurtado|Ponce")
"""Spanish family names that are no given names either."""
_SECOND_GIVEN_NAMES = pattern("|".join(_LISTS["second given names"]))
"""Spanish and Italian names that follow another given name."""
_JOINING = frozenset(("y", "i", "e"))
"""Between two family names: `Ortega y Gasset`, `Gaudí i Cornet`, `Cruz e Sousa`."""
_JOINED_FAMILIES = re.compile(r"[^\W\d_][\w'’-]* [yie] [^\W\d_][\w'’-]*")
_FRENCH_ARTICLES = frozenset(("la", "le", "les", "du", "des"))
"""After `de` or alone, they belong to the family name: `La Fontaine, Jean de`."""


def _is_unspaced(text: str) -> bool:
    return bool(_UNSPACED.search(text))


def bare(names: str) -> str:
    """Return names without e-mail addresses, and without the years and ranks that catalogues add."""
    names = re.sub(r"^\s*\(([^()]*)\)$", r"\1", _ADDRESS.sub("", names))
    names = " ".join(_RANK.sub("", _YEARS.sub("", names)).split())
    return re.sub(r",(?= of [A-Z]| the (?:Elder|Younger|Great)\b| Aquinas\b)", "", names)


def divide(name: str, *, sorted_as: str = "", language: str | None = None, role: str = AUTHOR) -> Contributor:
    """Return a name in its parts.

    Args:
        name: as displayed, such as `Ursula K. Le Guin`, or as sorted, such as `Le Guin, Ursula K.`; in
            braces, as in BibTeX, it is left whole: `{Marcus Aurelius}`.
        sorted_as: how the book sorts it, if it says so.
        language: the tag of the book's language, which says how names are ordered.
        role: what the person did.
    """
    if braced := _BRACED.fullmatch(name.strip()):
        return Contributor(role=role, name=braced[1], literal=braced[1])
    name, sorted_as = _in_mixed_case(bare(name)), bare(sorted_as)
    parts = _parts_of(name, sorted_as, primary_language(language))
    is_typed_sorted = not sorted_as and _is_family_and_given(name) and not parts.literal
    stated = parts.straight
    known = stated if sorted_as or is_typed_sorted else _USUAL.get(stated, stated)
    if known != stated or _WHOLE.fullmatch(stated):
        parts = Contributor(literal=known)
    return replace(parts, role=role, name=parts.straight if is_typed_sorted else name)


def _parts_of(name: str, sorted_as: str, language: str) -> Contributor:
    """Return the parts of a name, without role and display."""
    shown = _DEGREES.sub("", name)
    without_title = _HONORIFIC.sub("", shown, count=1) if " " in shown else shown
    if is_organisation(without_title):
        return Contributor(literal=name)
    if "," not in name and _EPITHET.search(without_title):
        return Contributor(literal=without_title)
    if _is_family_and_given(sorted_as) and not is_organisation(sorted_as):
        return _from_sorted(_in_case_of(sorted_as, name), language)
    if sorted_as and sorted_as == name and " " in name:  # the book sorts it as it stands
        return Contributor(literal=name)
    if _is_family_and_given(without_title):
        return _from_sorted(without_title, language)
    words, suffix = _without_suffix(without_title.replace(",", " ").split())
    if len(words) < 2 or _is_unspaced(name):
        return Contributor(literal=without_title)
    if language in _FAMILY_FIRST or _VIETNAMESE.search(words[0]):
        return Contributor(family=words[0], given=" ".join(words[1:]))
    start = _family_start(words, language)
    return _from_displayed(words, suffix, start) if start else Contributor(literal=without_title)


def _in_mixed_case(name: str) -> str:
    """Return a name that is all in capitals as it is written elsewhere; initials and numbers stay."""
    if " " not in name or not name.isupper() or is_organisation(name):
        return name
    return re.sub(r"[^\W\d_]{2,}", lambda word: _capitalized(word[0]), name)


def _capitalized(word: str) -> str:
    is_short = len(word) < 4 and not re.search("[AEIOUY]", word)  # JRR
    return word if is_short or _SUFFIX.fullmatch(word) else word.capitalize()


def _in_case_of(sorted_as: str, name: str) -> str:
    """Return a sorted name with the words that only it has in capitals as they are displayed: `MELVILLE`."""
    displayed = {word.upper(): word for word in re.findall(r"[^\W\d_]+", name)}
    return re.sub(r"[^\W\d_]{2,}", lambda word: displayed.get(word[0], word[0]), sorted_as)


def _family_start(words: list[str], language: str) -> int:
    """Return the index of the word with which the family names begin; 0 if there is no other name."""
    # Two may be joined (`Ortega y Gasset`), or the second may have a particle (`Calderón de la Barca`).
    joining = [i for i in range(1, len(words) - 1) if words[i] in _JOINING and words[i - 1][0].isupper()]
    if joining and not (language == "it" and words[joining[-1]] == "e"):
        return joining[-1] - 1
    start = len(words) - 1
    while start > 1 and words[start - 1].rstrip(".'’") in _JOINED:
        start -= 1
    before = start  # the particles
    while before > 1 and words[before - 1] in PARTICLES:
        before -= 1
    first = words[before - 1]  # the word before the particles
    inner = [i + 1 for i in range(1, start - 1) if words[i] in _LISTS["before two family names"]]
    if before == start and inner and language != "pt" and not _SECOND_GIVEN_NAMES.fullmatch(words[inner[-1]]):
        return inner[-1]
    if before < start and not _SECOND_GIVEN_NAMES.fullmatch(first):
        is_spanish = (
            words[before] in ("de", "del") and _SPANISH.fullmatch(first) and language not in _LAST_ONLY
        )
        takes_second = language in (*_TWO_FAMILY_NAMES, "it") or is_spanish
        if _SURNAMES.fullmatch(first) or (takes_second and before > 1):
            start = before - 1
            is_third = start > 1 and _SURNAMES.fullmatch(words[start - 1])  # Núñez Cabeza de Vaca
            return start - 1 if is_third else start
    if language == "fr":
        while start > 1 and words[start - 1] in _FRENCH_ARTICLES:
            start -= 1
    is_second_given = _SECOND_GIVEN_NAMES.fullmatch(first) or first.endswith(".")
    has_two = language in _TWO_FAMILY_NAMES and before == start > 1 and not is_second_given
    return start - 1 if has_two else start


def _from_displayed(words: list[str], suffix: str, start: int) -> Contributor:
    """Return a name whose given names come first, and its family names from a word on."""
    particle_start = start
    while particle_start > 1 and words[particle_start - 1].rstrip("'’") in PARTICLES:
        particle_start -= 1
    return Contributor(
        family=" ".join(words[start:]),
        given=" ".join(words[:particle_start]),
        particle=" ".join(words[particle_start:start]),
        suffix=suffix,
    )


def _from_sorted(text: str, language: str) -> Contributor:
    """Return a name whose family name comes first, before a comma."""
    family, *rest = (part.strip() for part in text.split(","))
    suffixes = [part for part in rest if _SUFFIX.fullmatch(part)]
    given = _HONORIFIC.sub("", " ".join(part for part in rest if part not in suffixes), count=1).split()
    given, trailing_suffix = _without_suffix(given)
    end = len(given)
    while end > 1 and given[end - 1].rstrip("'’") in PARTICLES:
        end -= 1
    particle = " ".join(given[end:])
    if not particle:
        words = family.split()
        kept = _FRENCH_ARTICLES if language == "fr" else ()
        particles = list(takewhile(lambda word: word.rstrip("'’") in PARTICLES.difference(kept), words[:-1]))
        particle, family = " ".join(particles), " ".join(words[len(particles) :])
    suffix = suffixes[0] if suffixes else trailing_suffix
    if not given[:end]:
        return Contributor(literal=" ".join(filter(None, (particle, family, suffix))))
    return Contributor(family=family, given=" ".join(given[:end]), particle=particle, suffix=_dotted(suffix))


def _without_suffix(words: list[str]) -> tuple[list[str], str]:
    """Return the words of a name without `Jr.` and the like at its end, and that suffix."""
    if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) and words[-1] not in ("V", "v"):
        return words[:-1], _dotted(words[-1])
    return words, ""


def _dotted(suffix: str) -> str:
    return f"{suffix.rstrip('.')}." if suffix.rstrip(".").lower() in ("jr", "sr") else suffix


def _is_family_and_given(text: str) -> bool:
    """Return whether a name is written `Family, Given`; `King, Jr.` is not."""
    family, comma, rest = text.partition(",")
    first = rest.split(",")[0].strip()
    return bool(comma and family.strip() and first) and not _SUFFIX.fullmatch(first)


def stray_brace(text: str) -> bool:
    """Return whether a field of names has a brace that is not one of a pair around a whole name."""
    return any(set("{}") & {*name} and not _BRACED.fullmatch(name) for name in split_names(text))


def is_organisation(name: str) -> bool:
    """Return whether a name is that of an organisation."""
    return bool(_ORGANISATION.search(name)) and not re.match(r"^\w+, \w+(?: \w\.)*$", name)


def is_full_name(name: str) -> bool:
    """Return whether a name has the form of a person's: two to six words with capitals, or particles."""
    words = _HONORIFIC.sub("", _DEGREES.sub("", name), count=1).replace(",", "").split()
    are_words = all(word in PARTICLES or (word[0].isupper() and _NAME_WORD.fullmatch(word)) for word in words)
    is_long_enough = 2 <= len(words) <= 6 and words[0].lower() not in _ARTICLES and words[-1][0].isupper()
    return are_words and is_long_enough and not is_organisation(name)


def people_of(text: str, *, language: str | None = None, role: str = AUTHOR) -> tuple[Contributor, ...]:
    """Return the people in one field: separated by semicolons, `and`, or commas between whole names."""
    return tuple(divide(name, language=language, role=role) for name in split_names(text))


def split_names(text: str) -> list[str]:
    """Return the names in one field, each as it stands there; what is in braces is one name."""
    names: list[str] = []
    text = bare(text)
    if _BRACED_AMONG_NAMES.search(text):
        for i, part in enumerate(_BRACED_AMONG_NAMES.split(text)):  # every second one is in braces
            names += (
                [part] if i % 2 else split_names(re.sub(rf"^(?:\s*{_SEPARATOR})+", "", part).strip(" ,;"))
            )
        return names
    if is_organisation(text) and ";" not in text:
        return [text] if text else []
    if ";" in text:
        return [name for part in text.split(";") for name in _split_conjunction(part.strip()) if name]
    if _is_single_sorted_name(text):
        return [text]
    for part in (part.strip() for part in re.split(r",\s*(?:and\s+|&\s*)?", text)):
        if names and _SUFFIX.fullmatch(part):
            names[-1] += f", {part}"
        elif part:
            names += _split_conjunction(part)
    return names


def _split_conjunction(text: str) -> list[str]:
    """Return the names that `and` joins, if they are names of people of two words or more, or initials."""
    parts = [part.strip() for part in _CONJUNCTION.split(text)]
    *firsts, last = parts
    are_names = all(len(part.split()) > 1 or "." in part for part in firsts) and len(last.split()) > 1
    return parts if len(parts) > 1 and are_names else [text]


def _is_single_sorted_name(text: str) -> bool:
    """Return whether commas are inside one name: `Shelley, Mary`, `King, Martin Luther, Jr.`"""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) == 3 and _SUFFIX.fullmatch(parts[2]):
        return True
    if len(parts) != 2 or _SUFFIX.fullmatch(parts[1]):
        return False
    if _JOINED_FAMILIES.fullmatch(parts[0]) and not _CONJUNCTION.search(parts[1]):
        return True
    if _CONJUNCTION.search(text):
        return False
    words = parts[0].split()
    core = [word for word in words if word.lower() not in PARTICLES and word.rstrip(".") not in _JOINED]
    # Two people in a list have a given name each: "Mary Shelley, Percy Shelley".
    is_short = len(core) == 2 or (len(core) == 3 and len(words) > 3)
    return len(core) == 1 or (is_short and all(_is_initial_or_one(part) for part in parts[1:]))


def _is_initial_or_one(text: str) -> bool:
    """Return whether a part is a given name alone: one word, or initials."""
    words = [word for word in text.split() if word not in PARTICLES]
    return len(words) == 1 or all(word.endswith(".") for word in words)


def joined_names(people: Iterable[Contributor], role: str) -> str:
    """Return the names of a role as a list displays them: `Ida Marlow, Ruth Penhale`."""
    return ", ".join(person.name for person in people if person.role == role)
