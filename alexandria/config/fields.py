"""The words by which the field of a book is told: in catalogues, in titles, and in the text itself.

Subject headings are those of the Library of Congress, which most EPUB files and Project Gutenberg have, with
the words of German, French, Spanish and Italian catalogues that are not the same.
"""

import re
from collections.abc import Mapping

DEFAULT_DOMAIN = "default"
"""Of books of any field."""
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
"""What subject headings and titles of each field have in them; the first field that fits counts."""

WORDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        LITERATURE: "said cried replied asked whispered exclaimed answered looked smiled laughed"
        " stood door eyes voice face she her herself lady madam darling suddenly head hand hands heart"
        " night dark sat thou thee thy aye oh ah hair lips tears dear sagte rief fragte antwortete"
        " flüsterte lächelte augen tür gesicht stimme dit répondit demanda cria madame monsieur yeux porte"
        " visage voix dijo respondió preguntó gritó ojos puerta señor señora disse rispose chiese gridò"
        " occhi",
        PHILOSOPHY: "philosophy philosopher philosophers philosophical argument arguments proposition"
        " propositions premise premises conclusion reason reasons reasoning knowledge truth truths true"
        " false existence exist exists virtue virtues vice virtuous moral morality soul essence substance"
        " universal universals priori idea ideas concept conception judgement judgment belief beliefs"
        " doctrine therefore consequently hence thus necessarily necessity possible nature sense objects"
        " metaphysical liberty tugend wahrheit erkenntnis vernunft wesen begriff vérité vertu raison",
        PSYCHOLOGY: "psychology psychologist psychologists psychological psychic patient patients"
        " therapy therapist behavior behaviour behavioral consciousness conscious unconscious subconscious"
        " emotion emotions emotional feeling feelings anxiety depression melancholy mental mind memory"
        " personality motivation stimulus stimuli response cognitive perception attention impulse impulses"
        " instinct habit habits neurosis neurotic hysteria hysterical symptom symptoms dream dreams"
        " temperament morbid subject subjects experiment experiments participants child children self",
        HISTORY: "century centuries king kings queen emperor empire reign dynasty war wars army"
        " armies troops battle treaty parliament congress government governor province provinces colony"
        " colonies republic revolution invasion conquest kingdom duke prince court nobles president"
        " election elected minister party political population city town inhabitants expedition ship coast"
        " jahrhundert könig kaiser reich krieg heer schlacht siècle roi empereur guerre armée bataille",
        TECHNICAL: "system systems file files command commands install software computer program"
        " programs data function functions user users input output code server network device devices"
        " memory disk version equation theorem matrix matrices vector vectors linear proof definition"
        " lemma algorithm parameter parameters value values element elements figure table section example"
        " click menu directory default configuration specification must content document documents"
        " attribute machine gear wheel pressure temperature measure measured instrument engine voltage"
        " current datei befehl rechner satz beweis definition beispiel",
    }.items()
}
"""Telling words of the text of each field: a book has some of every field, and far more of its own."""

RATES: Mapping[str, float] = {LITERATURE: 7, PHILOSOPHY: 12, PSYCHOLOGY: 10, HISTORY: 8, TECHNICAL: 14}
"""How many of a thousand words those are where a text is as likely of the field as of no field."""
