"""The words by which text shows that it continues a thought or begins a new one, by language.

A language without an entry is cut by paragraphs, layout and similarity alone. All words are lower case.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CueWords:
    """The cue words of one language."""

    openers: frozenset[str]
    """Pronouns and connectives: a text that begins with one of them lacks what came before."""
    impersonal: frozenset[str]
    """Beginnings with such a word that point at nothing: `it is`, `il y a`."""
    references: frozenset[str]
    """Words that refer to the text before from inside a sentence: `such`, `therefore`, `the latter`."""
    pronouns: frozenset[str]
    """Pronouns of the third person, whose sense may lie in the text before."""
    announcements: frozenset[str]
    """Words and phrases at the end of a paragraph that announce what follows it."""
    times: frozenset[str]
    """Words of time and date; in the first words of a paragraph they begin a new scene."""
    time_openers: frozenset[str]
    """Words that may begin such a phrase: `the next day`, `on 5 May`; alone they mean nothing."""
    arrivals: frozenset[str]
    """Verbs with which somebody arrives or leaves, or something opens; they begin a scene."""
    reactions: tuple[str, ...]
    """How words begin that tell how a speech was received: `smil`, `silen`, `answer`."""
    contrasts: frozenset[str]
    """The openers that may begin the other side of a matter: `however`, `but`."""
    elisions: frozenset[str] = frozenset()
    """Words that lose their vowel before another, which is then written without a space: `l'`, `dell'`."""


def cue_words(language: str | None) -> CueWords | None:
    """Return the cue words of a language, given as a BCP 47 tag, or None if it has no entry."""
    return CUE_WORDS.get((language or "").split("-")[0].lower())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


def _stems(text: str) -> tuple[str, ...]:
    return tuple(text.casefold().split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.casefold().split(","))


# Articles and prepositions do not point back; of the conjunctions, only those that join sentences do.
CUE_WORDS: Mapping[str, CueWords] = {
    "en": CueWords(
        openers=_words(
            "he she it they him her his its their them this that these those such and but or nor yet so "
            "for because therefore thus hence however moreover furthermore nevertheless still then "
            "consequently accordingly besides likewise similarly otherwise instead meanwhile also which "
            "whereas although"
        ),
        impersonal=_phrases(
            "it is, it was, it will be, it would be, it may be, it must be, it should be, it has "
            "been, it seems, it remains, it might be, it had been, it can be"
        ),
        references=_words(
            "this these those such same latter former thus then however therefore again too hence likewise "
            "accordingly moreover furthermore nevertheless consequently similarly further "
            "example instance illustration illustrations"
        ),
        pronouns=_words(
            "he she it they him her them his hers its their theirs himself herself itself themselves"
        ),
        announcements=_phrases(
            "the following, as follows, for example, for instance, these words, follows "
            "thus, let me, let us, "
            "i will now, we will now, i shall now, we shall now, in these terms, now "
            "consider, now to consider, "
            "next consider, we must now, i must now, must next, we have to consider, remains "
            "to, consider more fully"
        ),
        times=_words(
            "day days night nights morning evening afternoon noon midnight dawn sunset "
            "sunrise week weeks month "
            "months year years hour hours minutes spring summer autumn winter january "
            "february march april may "
            "june july august september october november december sunday monday tuesday wednesday thursday "
            "friday saturday o'clock"
        ),
        time_openers=_words(
            "on in at by about toward towards after before during since until from the one next early late "
            "some several two three four a many every each as when while to shortly"
        ),
        arrivals=_words(
            "arrived reached entered returned appeared met joined found woke awoke opened left departed"
        ),
        reactions=_stems(
            "listen answer silen smil thought felt astonish heard voice paus laugh nod repl sigh cried "
            "exclaim look stare blush shook start"
        ),
        contrasts=_words("but however yet nevertheless still whereas although otherwise instead meanwhile"),
    ),
    "de": CueWords(
        openers=_words(
            "er sie es ihn ihm ihnen sein ihr dies diese dieser dieses jene jener jenes solche und aber "
            "oder denn sondern doch jedoch also daher darum deshalb deswegen folglich außerdem ferner "
            "trotzdem dennoch dann dagegen ebenso sonst stattdessen weil obwohl"
        ),
        impersonal=_phrases(
            "es ist, es war, es gibt, es gab, es scheint, es schien, es wird, es wurde, es sei, "
            "es bleibt, es handelt"
        ),
        references=_words(
            "diese dieser dieses diesem diesen solche solcher solches solchen derselbe "
            "dieselbe dasselbe letztere "
            "erstere also daher jedoch wieder auch ferner deshalb darum folglich"
        ),
        pronouns=_words("er sie es ihn ihm ihnen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer"),
        announcements=_phrases(
            "folgende, folgendes, folgenden, wie folgt, zum beispiel, mit diesen worten, nun zu"
        ),
        times=_words(
            "tag tage tagen tages nacht nachts morgen morgens abend abends mittag nachmittag "
            "woche wochen monat "
            "monate monaten jahr jahre jahren stunde stunden minuten frühling frühjahr sommer herbst winter "
            "januar februar märz april mai juni juli august september oktober november "
            "dezember sonntag montag "
            "dienstag mittwoch donnerstag freitag samstag uhr"
        ),
        time_openers=_words(
            "am an in im um gegen nach vor während seit bis von der die das den dem eines "
            "einige mehrere zwei "
            "drei jeden als wenn schon erst kurz"
        ),
        arrivals=_words(
            "kam kamen ankam erreichte erreichten trat traten kehrte kehrten erschien erschienen traf "
            "trafen erwachte öffnete verließ verließen ging gingen"
        ),
        reactions=_stems(
            "hört antwort schwieg schweig lächel dacht fühlt staun stimme lach nickt seufz rief blickt "
            "sah errötet"
        ),
        contrasts=_words("aber doch jedoch sondern trotzdem dennoch dagegen sonst stattdessen obwohl"),
    ),
    "fr": CueWords(
        openers=_words(
            "il elle ils elles lui leur ceci cela ce cet cette ces celui celle ceux celles et mais ou "
            "ni car or donc ainsi cependant pourtant toutefois néanmoins alors puis aussi ensuite parce"
        ),
        impersonal=_phrases(
            "il est, il était, il y, il faut, il fallait, il faudrait, il semble, il reste, il "
            "existe, il s' agit"
        ),
        references=_words(
            "cet cette ces tel telle tels telles même dernier dernière premier donc ainsi cependant pourtant "
            "toutefois néanmoins encore aussi alors"
        ),
        pronouns=_words("il elle ils elles lui leur leurs le la les son sa ses"),
        announcements=_phrases(
            "suivant, suivante, suivants, suivantes, que voici, par exemple, en ces termes"
        ),
        times=_words(
            "jour jours journée nuit nuits matin matinée soir soirée midi minuit semaine "
            "semaines mois an ans "
            "année années heure heures minutes printemps été automne hiver janvier février "
            "mars avril mai juin "
            "juillet août septembre octobre novembre décembre dimanche lundi mardi mercredi jeudi vendredi "
            "samedi lendemain"
        ),
        time_openers=_words(
            "le la les l' un une en au aux à vers après avant pendant durant depuis jusqu' dès deux trois "
            "quelques plusieurs chaque ce cette quand lorsque"
        ),
        arrivals=_words(
            "arriva arrivèrent entra entrèrent revint revinrent parut apparut rencontra rejoignit trouva "
            "s'éveilla ouvrit quitta partit partirent sortit"
        ),
        reactions=_stems(
            "écout répond silenc souri pens sent étonn entend voix tut rit rire soupir cri regard rougi"
        ),
        contrasts=_words("mais or cependant pourtant toutefois néanmoins"),
        elisions=_words("l' d' qu' j' m' t' s' c' n' jusqu' lorsqu' puisqu' quoiqu'"),
    ),
    "es": CueWords(
        openers=_words(
            "él ella ello ellos ellas este esta esto estos estas ese esa eso esos esas aquel aquella y "
            "pero o ni pues sino porque entonces luego además también tampoco así asimismo aunque"
        ),
        impersonal=frozenset(),
        references=_words(
            "este esta estos estas tal tales mismo misma último primero así luego también además todavía"
        ),
        pronouns=_words("él ella ello ellos ellas le les su sus suyo suya"),
        announcements=_phrases("siguiente, siguientes, por ejemplo, como sigue, estas palabras"),
        times=_words(
            "día días noche noches mañana tarde mediodía medianoche semana semanas mes meses "
            "año años hora horas "
            "minutos primavera verano otoño invierno enero febrero marzo abril mayo junio julio agosto "
            "septiembre octubre noviembre diciembre domingo lunes martes miércoles jueves viernes sábado"
        ),
        time_openers=_words(
            "el la los las un una en al a hacia después antes durante desde hasta dos tres "
            "algunos varios cada "
            "cuando"
        ),
        arrivals=_words(
            "llegó llegaron entró entraron volvió volvieron apareció encontró despertó abrió salió "
            "salieron partió"
        ),
        reactions=_stems(
            "escuch respond silenci sonr pens sint sinti asombr oy voz call rió risa suspir grit mir"
        ),
        contrasts=_words("pero sino aunque"),
    ),
    "it": CueWords(
        openers=_words(
            "egli ella esso essa essi esse lui lei loro questo questa questi queste quello quella e ma "
            "o né perché dunque quindi perciò però tuttavia inoltre allora poi anche così infatti"
        ),
        impersonal=frozenset(),
        references=_words(
            "questo questa questi queste tale tali stesso stessa ultimo dunque quindi però "
            "tuttavia ancora anche"
        ),
        pronouns=_words("egli ella lui lei loro essi esse gli suo sua suoi sue"),
        announcements=_phrases("seguente, seguenti, per esempio, ad esempio, come segue, queste parole"),
        times=_words(
            "giorno giorni notte notti mattina mattino sera pomeriggio mezzogiorno "
            "mezzanotte settimana settimane "
            "mese mesi anno anni ora ore minuti primavera estate autunno inverno gennaio "
            "febbraio marzo aprile "
            "maggio giugno luglio agosto settembre ottobre novembre dicembre domenica lunedì "
            "martedì mercoledì "
            "giovedì venerdì sabato"
        ),
        time_openers=_words(
            "il la i le lo gli l' un un' una in nel nella nell' al alla all' verso dopo prima durante da dal "
            "dall' fino due tre "
            "alcuni ogni quando"
        ),
        arrivals=_words(
            "arrivò arrivarono entrò entrarono tornò tornarono apparve incontrò trovò svegliò aprì lasciò "
            "partì uscì"
        ),
        reactions=_stems("ascolt rispo silenzi sorri pens sent stup ud voce tacqu ris sospir grid guard"),
        contrasts=_words("ma però tuttavia"),
        elisions=_words("l' un' d' c' s' m' t' v' dell' all' nell' dall' sull' quell' quest' cos' com'"),
    ),
    "nl": CueWords(
        openers=_words(
            "hij zij het hem haar hun dit dat deze die zulke en maar of noch want dus daarom daardoor "
            "echter toch bovendien niettemin dan ook anders omdat hoewel"
        ),
        impersonal=_phrases("het is, het was, het lijkt, het blijft, het zou, het kan"),
        references=_words("deze dit zulke zulk dezelfde hetzelfde laatste dus echter toch weer ook daarom"),
        pronouns=_words("hij zij ze hem haar hun zijn hen"),
        announcements=_phrases("volgende, als volgt, bijvoorbeeld, deze woorden"),
        times=_words(
            "dag dagen nacht nachten nachts morgen morgens ochtend ochtends avond avonds middag middags "
            "namiddag week weken maand maanden jaar jaren uur "
            "uren minuten lente zomer herfst winter januari februari maart april mei juni juli augustus "
            "september oktober november december zondag maandag dinsdag woensdag donderdag vrijdag zaterdag"
        ),
        time_openers=_words(
            "op in om tegen na voor tijdens sinds tot de het een enige enkele twee drie elke toen des 's"
        ),
        arrivals=_words(
            "kwam kwamen arriveerde bereikte betrad keerde verscheen ontmoette vond ontwaakte opende "
            "verliet vertrok"
        ),
        reactions=_stems(
            "luister antwoord zweeg glimlach dacht voelde verbaas hoorde stem lach knikte zucht riep keek "
            "bloos"
        ),
        contrasts=_words("maar echter toch niettemin anders hoewel"),
    ),
    "hr": CueWords(
        openers=_words(
            "on ona ono oni one njega nju njemu njoj njih njima njegov njezin njihov ovaj "
            "ova ovo ovi ove taj "
            "ta to ti te onaj takav takva takvo i a ali ili no nego jer dakle stoga zato ipak međutim osim "
            "također tada onda naime pa premda iako"
        ),
        impersonal=_phrases("to je"),
        references=_words(
            "ovaj ova ovo ovi ove ovoga ovome ovom taj ta tog tome takav takva takvo takvi "
            "takve isti ista isto "
            "dakle stoga zato ipak međutim opet također"
        ),
        pronouns=_words(
            "on ona ono oni one njega nju njemu njoj njih njima njegov njegova njezin njezina njihov"
        ),
        announcements=_phrases("sljedeće, sljedeći, sljedeća, na primjer, ovim riječima, kako slijedi"),
        times=_words(
            "dan dana dane noć noći jutro jutra ujutro večer navečer podne poslijepodne ponoć tjedan tjedna "
            "mjesec mjeseca mjeseci godina godine godinu sat sata sati minuta proljeće ljeto jesen zima "
            "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada "
            "studenoga prosinca "
            "nedjelja nedjelju ponedjeljak utorak srijeda srijedu četvrtak petak subota subotu"
        ),
        time_openers=_words(
            "u na o oko nakon poslije prije tijekom od do za jedan jednog jedne dva tri nekoliko svaki "
            "sljedeći sljedećeg idući idućeg kad kada"
        ),
        arrivals=_words(
            "stigao stigla stigli došao došla došli ušao ušla ušli vratio vratila vratili pojavio "
            "pojavila otvorio otvorila izašao izašla otišao otišla"
        ),
        reactions=_stems(
            "sluša odgovor šutn šutje nasmij pomisli osjeti začudi ču glas smija uzdah kimnu vikn pogleda"
        ),
        contrasts=_words("a ali no nego ipak međutim premda iako"),
    ),
    "la": CueWords(
        openers=_words(
            "is ea id ei eius eorum earum hic haec hoc hi hae huius huic hunc hanc ille illa illud illi iste "
            "et sed at aut nec neque nam enim namque autem ergo igitur itaque ideo tamen quare quapropter "
            "quoque item praeterea deinde tum quod qui quae"
        ),
        impersonal=frozenset(),
        references=_words(
            "hic haec hoc huius hunc hanc his talis tale tales idem eadem ergo igitur itaque "
            "autem enim tamen "
            "quoque item iterum praeterea"
        ),
        pronouns=_words("is ea eum eam eius eorum earum eis suus sua suum suos suas"),
        announcements=_phrases("sequens, sequentia, ut sequitur, exempli gratia, his verbis"),
        times=_words(
            "die dies diem diebus nocte noctem noctu mane vespere vesperi meridie hora "
            "hebdomade mense mensis "
            "mensem anno annis annos annum hora horis vere aestate autumno hieme kalendis idibus nonis"
        ),
        time_openers=_words("eo eodem illo postero proximo primo secundo in ad sub post ante per a ab anno"),
        arrivals=_words(
            "venit venerunt advenit pervenit pervenerunt intravit rediit redierunt apparuit invenit "
            "aperuit discessit exiit profectus"
        ),
        reactions=_stems("audi respond tacu risit ris cogita sensit mira vox voce suspira exclama"),
        contrasts=_words("sed at autem tamen"),
    ),
}
"""The languages with cue words."""
