"""The words by which the field of a book is recognised: in catalogues, in titles, and in the text itself.

Subject headings are those of the Library of Congress, which most EPUB files and Project Gutenberg have, with
the words of German, French, Spanish and Italian catalogues that are not the same.
"""

import re
from collections.abc import Mapping

DEFAULT_DOMAIN = "default"
"""The domain for books of any field."""
LITERATURE, PHILOSOPHY, PSYCHOLOGY, HISTORY, TECHNICAL = (
    "literature",
    "philosophy",
    "psychology",
    "history",
    "technical",
)

SUBJECTS: Mapping[str, re.Pattern[str]] = {
    # In this order: “Psychological fiction” and “Great Britain -- History -- Fiction” are literature,
    # “Psychology, Religious” is psychology, “Political science -- Philosophy” is philosophy.
    name: re.compile(rf"\b(?:{words})", re.IGNORECASE)
    for name, words in {
        LITERATURE: r"fiction|novels?\b|stor(?:y|ies)\b|tales?\b|poetry|poems?\b|dramas?\b|plays\b|traged"
        r"|comed(?:y|ies)|satire|humor|humour|literature|fables?\b|fairy|folklore|legends?\b|adventures?\b"
        r"|thrillers?\b|fantasy|romans?\b|romane\b|erzählung|märchen|novell|gedicht|lyrik|belletristik"
        r"|komödie|tragödie|poésie|théâtre|contes?\b|romanz|raccont|poesía|poesia|novela|cuentos?\b|prose\b"
        r"|sf\b|det\b|фантастика|роман|проза|פרוזה|小説",
        PSYCHOLOGY: r"psycholog|psychoanal|psychiatr|psychother|mental (?:health|illness|disorder)|cognit"
        r"|neuropsych|emotions?\b|human behaviou?r|consciousness|subconscious|hypnot|psicolog|психология",
        PHILOSOPHY: r"philosoph|metaphysic|ethic|epistemolog|knowledge, theory|logic\b|ontolog|aesthetic"
        r"|stoic|existentialis|phenomenolog|utilitarian|empiricis|rationalism|pragmatism|free will|skepticism"
        r"|ethik|logik\b|erkenntnis|filosof|философия|哲学",
        TECHNICAL: r"comput|programming|software|operating system|linux|unix|internet|database|algorithm"
        r"|engineering|technolog|mathemat|algebra|geometr|calculus|statistic|physics|chemi|electr|mechanic"
        r"|machine|handbooks, manuals|manuals?\b|textbooks?\b|specifications?\b|biolog|geolog|astronom"
        r"|informati(?:k|que|ca)\b|technik|mathé|matemát|comp\b",
        HISTORY: r"(?<!natural )histor|geschichte|biograph|autobiograph|memoirs?\b|wars?\b|revolution"
        r"|civilization|discovery and exploration|voyages?\b|expedition|travels?\b|kings and rulers"
        r"|politics and government|economics|economic conditions|antiquities|archaeolog|storia\b|guerres?\b"
        r"|krieg\b|история|歴史",
    }.items()
}
"""What subject headings and titles of each field contain; the first field that matches counts."""

WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        LITERATURE: "said cried replied asked whispered exclaimed answered looked smiled laughed stood"
        " door eyes voice face she her herself lady madam darling suddenly night dark sat thou thee thy"
        " aye oh ah hair lips tears sagte rief fragte antwortete flüsterte lächelte augen tür gesicht"
        " stimme dit répondit demanda cria madame monsieur yeux porte visage voix dijo respondió preguntó"
        " gritó ojos puerta señor señora disse rispose chiese gridò occhi",
        PHILOSOPHY: "philosophy philosopher philosophers philosophical argument arguments proposition"
        " propositions premise premises conclusion reason reasons reasoning knowledge truth truths false"
        " exist exists virtue virtues vice virtuous moral morality soul essence substance universal"
        " universals priori idea ideas concept conception judgement judgment belief beliefs doctrine"
        " therefore consequently hence necessarily necessity metaphysical tugend wahrheit erkenntnis"
        " vernunft wesen begriff vérité vertu raison ethics ethical metaphysics ontology ontological"
        " epistemology logic logical logically rational rationality irrational empirical intellect"
        " intellectual transcendental dialectic deductive inductive deduction induction syllogism"
        " contradiction contradictory absurd assertion assertions assert predicate causality causation"
        " causal freedom determinism contingent finite infinite infinity eternal divine being beings"
        " phenomena phenomenon appearance appearances reality realism idealism idealist materialism"
        " materialist empiricism rationalism scepticism sceptic skepticism utilitarian utilitarianism"
        " happiness goodness justice unjust evil wisdom wise duty duties obligation conscience objection"
        " objections refute follows implies supposition hypothesis theology theological theologian"
        " theologians god faith sin plato socrates aristotle kant hegel hume descartes leibniz spinoza"
        " locke berkeley nietzsche stoics buddha dharma enlightenment",
        PSYCHOLOGY: "psychology psychologist psychologists psychological psychic patient patients therapy"
        " therapist behavior behaviour behavioral consciousness conscious unconscious subconscious"
        " emotion emotions emotional feelings anxiety depression melancholy mental mind memory"
        " personality motivation stimulus stimuli cognitive perception attention impulse impulses"
        " instinct habit habits neurosis neurotic hysteria hysterical symptom symptoms temperament morbid"
        " experiment experiments participants psychoanalysis psychoanalytic psychoanalyst psychotherapy"
        " psychiatric psychiatrist psychiatry therapists therapeutic clinical clinician ego libido"
        " repression repressed neuroses psychosis psychotic schizophrenia schizophrenic disorder"
        " disorders trauma traumatic compulsive compulsion obsession phobia hallucination hallucinations"
        " delusion delusions hypnosis hypnotic suggestion mood affect arousal cognition perceptual"
        " perceptions sensory sensation sensations learned conditioning reinforcement recall recalled"
        " recognition forgetting forgotten remembering remembered memories witness witnesses intelligence"
        " temper introspection attitude attitudes adolescent adolescence infancy infant parental sibling"
        " interpersonal studied laboratory researchers freud jung pavlov piaget brain neurons cortex"
        " stress aggression frustration insight awareness",
        HISTORY: "century centuries king kings queen emperor empire reign dynasty war wars army armies"
        " troops battle treaty parliament congress government governor province provinces colony colonies"
        " republic revolution invasion conquest kingdom duke prince nobles president election elected"
        " minister political inhabitants expedition jahrhundert könig kaiser reich krieg heer schlacht"
        " siècle roi empereur guerre armée bataille historian historians historical history ancient"
        " medieval empires crown throne monarch monarchy monarchs peasants nobility noble lord lords"
        " bishop pope church cardinal fleet admiral general generals soldiers cavalry infantry regiment"
        " siege fort fortress campaign victory defeat surrender allies alliance ally enemy peace act acts"
        " laws senate senator constitution constitutional federal colonial colonists settlers settlement"
        " trade merchants commerce taxes tax treasury governors ministers cabinet diplomatic soviet"
        " russia russian france french britain british england english german germany spain spanish rome"
        " roman american americans states nation nations national union council commission citizens"
        " independence slavery slaves natives tribe tribes excavation founded voyage island islands"
        " harbour economic economy industry capital labour wages january february april june july august"
        " september october november december",
        TECHNICAL: "systems file files command commands install software computer program programs"
        " functions user users input output code server network device devices disk version equation"
        " theorem matrix matrices vector vectors linear proof definition lemma algorithm parameter"
        " parameters values click menu directory default configuration specification attribute machine"
        " gear wheel pressure temperature measured instrument engine voltage datei befehl rechner satz"
        " beweis beispiel installed installing package packages kernel servers interface module modules"
        " variable variables array arrays string strings integer pointer compiler compile library"
        " libraries syntax script scripts option options argument argv stdin directories root password"
        " backup backups byte bytes bit bits digital signal signals frequency circuit circuits electron"
        " electrons atom atoms molecule molecules chemical acid solution solutions compound reaction"
        " reactions diameter thickness liquid gas steam valve pump motor shaft bearing spring pendulum"
        " lever piston cylinder weight velocity acceleration equations coefficient coefficients integral"
        " derivative polynomial theorems corollary algebra geometry probability statistical sample"
        " samples calculated calculation curve surface surfaces cell cells tissue species material"
        " materials apparatus component components percent ratio maximum minimum approximately procedure"
        " procedures method methods technique analysis degrees centimeters millimeters inches per units"
        " unit plastic metal steel",
    }.items()
}
"""Typical words of texts of each field: a book has some of every field, and far more of its own field."""

_STATEMENTS = "is are does has can may must should shall ought ist sind kann muss est sont peut doit può deve"
STATEMENTS = frozenset(_STATEMENTS.split())
"""Words of statements in the present tense: narratives have few of them outside direct speech."""

RATES: Mapping[str, float] = {LITERATURE: 6, PHILOSOPHY: 9, PSYCHOLOGY: 7, HISTORY: 14, TECHNICAL: 10}
"""How many words per thousand are `WORDS` of the field in a text that is as likely of the field as not."""
