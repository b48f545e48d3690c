"""Measures which languages a model reads, on the same six sentences in each of them.

`distinguishes`, whether the model can tell sentences of a language apart, is enough to search within it;
`connects`, whether it finds their English translations, is needed to search across languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from alexandria.embed.encoder import Encoder
from alexandria.embed.locate import DEFAULT_MODEL
from alexandria.embed.multilingual import INSTALL_COMMAND, MULTILINGUAL, is_installed

# Six sentences, the same in each language; written for this purpose, and in the order of the English ones.
SENTENCES: Mapping[str, tuple[str, ...]] = {
    "en": (
        "The bees return to the hive before the rain begins.",
        "He signed the contract without reading it.",
        "The telescope showed four moons around the planet.",
        "My grandmother baked bread every Saturday.",
        "The army crossed the river during the night.",
        "A virtue is a habit that has become second nature.",
    ),
    "de": (
        "Die Bienen kehren in den Stock zurück, bevor der Regen beginnt.",
        "Er unterschrieb den Vertrag, ohne ihn zu lesen.",
        "Das Fernrohr zeigte vier Monde um den Planeten.",
        "Meine Großmutter backte jeden Samstag Brot.",
        "Das Heer überquerte den Fluss in der Nacht.",
        "Eine Tugend ist eine Gewohnheit, die zur zweiten Natur geworden ist.",
    ),
    "fr": (
        "Les abeilles rentrent à la ruche avant que la pluie commence.",
        "Il a signé le contrat sans le lire.",
        "Le télescope a montré quatre lunes autour de la planète.",
        "Ma grand-mère faisait du pain tous les samedis.",
        "L'armée a traversé le fleuve pendant la nuit.",
        "Une vertu est une habitude devenue une seconde nature.",
    ),
    "es": (
        "Las abejas vuelven a la colmena antes de que empiece la lluvia.",
        "Firmó el contrato sin leerlo.",
        "El telescopio mostró cuatro lunas alrededor del planeta.",
        "Mi abuela horneaba pan todos los sábados.",
        "El ejército cruzó el río durante la noche.",
        "Una virtud es un hábito que se ha vuelto una segunda naturaleza.",
    ),
    "it": (
        "Le api tornano all'alveare prima che cominci la pioggia.",
        "Firmò il contratto senza leggerlo.",
        "Il telescopio mostrò quattro lune intorno al pianeta.",
        "Mia nonna faceva il pane ogni sabato.",
        "L'esercito attraversò il fiume durante la notte.",
        "Una virtù è un'abitudine diventata una seconda natura.",
    ),
    "pl": (
        "Pszczoły wracają do ula, zanim zacznie padać deszcz.",
        "Podpisał umowę, nie czytając jej.",
        "Teleskop pokazał cztery księżyce wokół planety.",
        "Moja babcia piekła chleb w każdą sobotę.",
        "Wojsko przekroczyło rzekę w nocy.",
        "Cnota to nawyk, który stał się drugą naturą.",
    ),
    "hr": (
        "Pčele se vraćaju u košnicu prije nego što počne kiša.",
        "Potpisao je ugovor ne pročitavši ga.",
        "Teleskop je pokazao četiri mjeseca oko planeta.",
        "Moja je baka svake subote pekla kruh.",
        "Vojska je noću prešla rijeku.",
        "Vrlina je navika koja je postala druga priroda.",
    ),
    "ru": (
        "Пчёлы возвращаются в улей до начала дождя.",
        "Он подписал договор, не прочитав его.",
        "Телескоп показал четыре луны вокруг планеты.",
        "Моя бабушка пекла хлеб каждую субботу.",
        "Войско перешло реку ночью.",
        "Добродетель — это привычка, ставшая второй натурой.",
    ),
    "el": (
        "Οι μέλισσες γυρίζουν στην κυψέλη πριν αρχίσει η βροχή.",
        "Υπέγραψε το συμβόλαιο χωρίς να το διαβάσει.",
        "Το τηλεσκόπιο έδειξε τέσσερα φεγγάρια γύρω από τον πλανήτη.",
        "Η γιαγιά μου έψηνε ψωμί κάθε Σάββατο.",
        "Ο στρατός πέρασε το ποτάμι τη νύχτα.",
        "Η αρετή είναι μια συνήθεια που έγινε δεύτερη φύση.",
    ),
    "tr": (
        "Arılar yağmur başlamadan kovana döner.",
        "Sözleşmeyi okumadan imzaladı.",
        "Teleskop gezegenin çevresinde dört uydu gösterdi.",
        "Büyükannem her cumartesi ekmek pişirirdi.",
        "Ordu geceleyin nehri geçti.",
        "Erdem, ikinci doğa hâline gelmiş bir alışkanlıktır.",
    ),
    "ar": (
        "يعود النحل إلى الخلية قبل أن يبدأ المطر.",
        "وقّع العقد دون أن يقرأه.",
        "أظهر المنظار أربعة أقمار حول الكوكب.",
        "كانت جدتي تخبز الخبز كل يوم سبت.",
        "عبر الجيش النهر ليلاً.",
        "الفضيلة عادة أصبحت طبيعة ثانية.",
    ),
    "zh": (
        "蜜蜂在下雨之前回到蜂巢。",
        "他没有看合同就签了字。",
        "望远镜显示那颗行星周围有四颗卫星。",
        "我的祖母每个星期六都烤面包。",
        "军队在夜里渡过了河。",
        "美德是一种已经成为第二天性的习惯。",
    ),
    "ja": (
        "蜂は雨が降り始める前に巣に戻る。",
        "彼は契約書を読まずに署名した。",
        "望遠鏡はその惑星の周りに四つの衛星を映し出した。",
        "祖母は毎週土曜日にパンを焼いていた。",
        "軍隊は夜のうちに川を渡った。",
        "徳とは、第二の天性となった習慣である。",
    ),
}


_MAX_EXCESS = 0.25
"""How much higher than in English the mean similarity of different sentences may be in a language that a
model reads. With all-MiniLM-L6-v2 it is higher by .33 (German) or more: the model sees the language only."""
_mean_similarities: dict[tuple[str, str], float] = {}  # cached, by the name of a model and a language
_connected: dict[tuple[str, str], bool] = {}  # cached likewise: the results of `connects`


def distinguishes(encoder: Encoder, language: str | None) -> bool:
    """Return whether a model tells sentences of a language apart, as a search by meaning requires.

    True for a language without sentences here, which cannot be measured.

    Args:
        encoder: the model.
        language: its BCP 47 tag.
    """
    primary = (language or "en").split("-")[0].lower()
    if primary not in SENTENCES or primary == "en":
        return True
    return _mean_similarity(encoder, primary) - _mean_similarity(encoder, "en") <= _MAX_EXCESS


def reads(encoder: Encoder, language: str | None) -> bool:
    """Return whether a model reads a language well enough to search by meaning in it.

    The default model reads English only; other models are measured (`distinguishes`).
    """
    if encoder.name.startswith(f"{DEFAULT_MODEL}@"):
        return is_english(language)
    return distinguishes(encoder, language)


def connects(encoder: Encoder, language: str) -> bool:
    """Return whether a model finds the English translations of a language's sentences.

    A language without sentences here counts as connected if German is.

    Args:
        encoder: the model.
        language: its BCP 47 tag.
    """
    primary = language.split("-")[0].lower()
    if is_english(primary):
        return True
    if encoder.name.startswith(f"{DEFAULT_MODEL}@"):
        return False  # known without measuring, which would take a search some time
    tag = primary if primary in SENTENCES else "de"
    key = (encoder.name, tag)
    if key not in _connected:
        vectors, english_vectors = encoder.encode(SENTENCES[tag]), encoder.encode(SENTENCES["en"])
        _connected[key] = _score(tag, vectors @ english_vectors.T).connects
    return _connected[key]


def remedy() -> str:
    """Return the commands that embed a library with the multilingual model, and install it if necessary."""
    install = "" if is_installed() else f"{INSTALL_COMMAND}, then  "
    return f"{install}alexandria copy --model {MULTILINGUAL} --to FOLDER"


def is_english(language: str | None) -> bool:
    """Return whether a language is English, or not known."""
    # und, mul and zxx: undetermined, several languages, no linguistic content (ISO 639-2).
    return (language or "en").split("-")[0].lower() in ("en", "und", "mul", "zxx")


def _mean_similarity(encoder: Encoder, tag: str) -> float:
    """Return the mean similarity of different sentences of a language, computed once per model."""
    key = (encoder.name, tag)
    if key not in _mean_similarities:
        vectors = encoder.encode(SENTENCES[tag])  # (n, dim) of length 1
        n = len(vectors)
        # Without the n similarities of each sentence to itself, which are 1.
        _mean_similarities[key] = float((vectors @ vectors.T).sum() - n) / (n * (n - 1))
    return _mean_similarities[key]


@dataclass(frozen=True, slots=True)
class LanguageScore:
    """How well a model connects a language with English."""

    language: str
    """ISO 639-1."""
    n_found: int
    """Sentences whose own translation is the most similar of the English sentences."""
    n_sentences: int
    similarity: float
    """Mean cosine similarity of a sentence and its translation, in [-1, 1]."""

    @property
    def connects(self) -> bool:
        """Whether the model finds every translation; by chance it would find one in six."""
        return self.n_found == self.n_sentences


def score_languages(encoder: Encoder) -> list[LanguageScore]:
    """Return how well an encoder connects each language with English.

    This shows whether a search works across languages. A model that fails here may still read the language by
    itself.
    """
    texts = [sentence for sentences in SENTENCES.values() for sentence in sentences]
    vectors_by_language = np.split(encoder.encode(texts), len(SENTENCES))  # one (n_sentences, dim) each
    english_vectors = vectors_by_language[list(SENTENCES).index("en")]
    pairs = zip(SENTENCES, vectors_by_language, strict=True)
    return [_score(language, vectors @ english_vectors.T) for language, vectors in pairs]


def _score(language: str, similarities: np.ndarray) -> LanguageScore:
    """Return how well a model connects a language with English.

    Args:
        language: the tag of the language.
        similarities: (n_sentences, n_sentences): row i has the similarities of sentence i of the language to
            each English sentence. On the diagonal are the pairs of a sentence and its translation.
    """
    n_sentences = len(similarities)
    most_similar = similarities.argmax(axis=1)
    return LanguageScore(
        language=language,
        n_found=int((most_similar == np.arange(n_sentences)).sum()),
        n_sentences=n_sentences,
        similarity=float(np.diag(similarities).mean()),
    )
