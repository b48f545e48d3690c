"""How programs and people mark up notes: one record per idiom, from which the tests make small books."""
# ruff: noqa: E501  # a line of markup per line

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Idiom:
    """The markup of a mark in the text and of its note.

    In both, `{i}` is the note's number in the book, `{mark}` the printed mark, `{notes}` and `{text}` the files of
    the notes and of the text (empty in a single file), and `{note}` the words of the note.
    """

    cite: str
    note: str
    around: str = "{all}"
    """Markup around the notes of a chapter or a book, at `{all}`."""
    marks: Sequence[str] = "123456"
    label: bool = True
    """The note's label is known."""


def signs(cite: str, note: str) -> Idiom:
    """Return an idiom whose marks are signs instead of numbers."""
    return Idiom(cite, note, marks="*†‡§‖¶")


OPS = 'xmlns:epub="http://www.idpf.org/2007/ops"'

LINKED_BOTH_WAYS: Mapping[str, Idiom] = {
    "gutenberg": Idiom(
        '<a name="FNanchor_{i}_{i}"></a><a href="{notes}#Footnote_{i}_{i}" class="fnanchor">[{mark}]</a>',
        '<div class="footnote"><p><a name="Footnote_{i}_{i}"></a><a href="{text}#FNanchor_{i}_{i}">'
        '<span class="label">[{mark}]</span></a> {note}</p></div>',
        '<div class="footnotes"><h3>FOOTNOTES:</h3>{all}</div>',
    ),
    "gutenberg html5": Idiom(
        '<a id="FNanchor_{i}" href="{notes}#Footnote_{i}" class="fnanchor">[{mark}]</a>',
        '<div class="footnote"><p><a id="Footnote_{i}" href="{text}#FNanchor_{i}" class="label">[{mark}]</a> '
        "{note}</p></div>",
    ),
    "gutenberg, an empty paragraph before": Idiom(
        '<a href="{notes}#linknote-{i}" name="linknoteref-{i}" id="linknoteref-{i}"><small>{mark}</small></a>',
        '<p><a name="linknote-{i}" id="linknote-{i}"></a></p>'
        '<p class="foot">{mark} (<a href="{text}#linknoteref-{i}">return</a>)<br/>[ {note}]</p>',
    ),
    "standard ebooks": Idiom(
        '<a href="{notes}#note-{i}" id="noteref-{i}" epub:type="noteref">{mark}</a>',
        '<li id="note-{i}" epub:type="endnote"><p>{note} '
        '<a href="{text}#noteref-{i}" epub:type="backlink">↩</a></p></li>',
        '<section epub:type="endnotes"><h2 epub:type="title">Endnotes</h2><ol>{all}</ol></section>',
    ),
    "calibre": Idiom(
        '<a id="filepos1{i}" href="{notes}#filepos2{i}"><sup class="calibre3">{mark}</sup></a>',
        '<p class="calibre1"><a id="filepos2{i}" href="{text}#filepos1{i}"><sup class="calibre3">{mark}</sup></a>'
        " {note}</p>",
    ),
    "calibre, raised by a class": Idiom(
        '<a id="a{i}" href="{notes}#b{i}" class="calibre2"><span class="calibre5">{mark}</span></a>',
        '<p class="calibre1" id="b{i}"><a href="{text}#a{i}" class="calibre2">{mark}</a> {note}</p>',
    ),
    "indesign": Idiom(
        '<span id="footnote-00{i}-backlink"><a class="_idFootnoteLink _idGenColorInherit" '
        'href="{notes}#footnote-00{i}">{mark}</a></span>',
        '<div class="_idFootnote"><p class="Footnote"><a id="footnote-00{i}" '
        'class="_idFootnoteAnchor _idGenColorInherit" href="{text}#footnote-00{i}-backlink">{mark}</a>\t{note}'
        "</p></div>",
        '<div class="_idFootnotes">{all}</div>',
    ),
    "pandoc": Idiom(
        '<a href="{notes}#fn{i}" class="footnote-ref" id="fnref{i}" role="doc-noteref"><sup>{mark}</sup></a>',
        '<li id="fn{i}"><p>{note}<a href="{text}#fnref{i}" class="footnote-back" role="doc-backlink">↩︎</a></p></li>',
        '<section id="footnotes" class="footnotes footnotes-end-of-document" role="doc-endnotes"><hr/>'
        "<ol>{all}</ol></section>",
    ),
    "kramdown": Idiom(
        '<sup id="fnref:{i}" role="doc-noteref"><a href="{notes}#fn:{i}" class="footnote" rel="footnote">{mark}'
        "</a></sup>",
        '<li id="fn:{i}" role="doc-endnote"><p>{note} <a href="{text}#fnref:{i}" class="reversefootnote" '
        'role="doc-backlink">&#8617;</a></p></li>',
        '<div class="footnotes" role="doc-endnotes"><ol>{all}</ol></div>',
    ),
    "word": Idiom(
        '<a href="{notes}#_ftn{i}" name="_ftnref{i}" title=""><span class="MsoFootnoteReference"><span>[{mark}]'
        "</span></span></a>",
        '<div style="mso-element:footnote" id="ftn{i}"><p class="MsoFootnoteText"><a href="{text}#_ftnref{i}" '
        'name="_ftn{i}" title=""><span class="MsoFootnoteReference">[{mark}]</span></a> {note}</p></div>',
        '<div style="mso-element:footnote-list"><br clear="all"/><hr/>{all}</div>',
    ),
    "libreoffice": Idiom(
        '<a class="sdfootnoteanc" name="sdfootnote{i}anc" href="{notes}#sdfootnote{i}sym"><sup>{mark}</sup></a>',
        '<div id="sdfootnote{i}"><p class="sdfootnote"><a class="sdfootnotesym" name="sdfootnote{i}sym" '
        'href="{text}#sdfootnote{i}anc">{mark}</a> {note}</p></div>',
    ),
    "google docs": Idiom(
        '<sup><a href="{notes}#ftnt{i}" id="ftnt_ref{i}">[{mark}]</a></sup>',
        '<div><p><a href="{text}#ftnt_ref{i}" id="ftnt{i}">[{mark}]</a><span>&#160;{note}</span></p></div>',
    ),
    "sigil": Idiom(
        '<a id="ref{i}" href="{notes}#note{i}"><sup>{mark}</sup></a>',
        '<p id="note{i}"><a href="{text}#ref{i}">{mark}</a>. {note}</p>',
    ),
    "mediawiki": Idiom(
        '<sup id="cite_ref-{i}" class="reference"><a href="{notes}#cite_note-{i}"><span class="cite-bracket">['
        '</span>{mark}<span class="cite-bracket">]</span></a></sup>',
        '<li id="cite_note-{i}"><span class="mw-cite-backlink"><b><a href="{text}#cite_ref-{i}">^</a></b></span> '
        '<span class="reference-text">{note}</span></li>',
        '<ol class="references">{all}</ol>',
    ),
    "mediawiki, several links back": Idiom(
        '<sup id="cite_ref-x_{i}-0" class="reference"><a href="{notes}#cite_note-x-{i}">[{mark}]</a></sup>',
        '<li id="cite_note-x-{i}"><span class="mw-cite-backlink">^ <a href="{text}#cite_ref-x_{i}-0"><sup><i><b>a'
        '</b></i></sup></a> <a href="{text}#cite_ref-x_{i}-0"><sup><i><b>b</b></i></sup></a></span> '
        '<span class="reference-text">{note}</span></li>',
        '<ol class="references">{all}</ol>',
    ),
    "docutils": Idiom(
        '<a class="footnote-reference brackets" href="{notes}#f{i}" id="r{i}" role="doc-noteref">'
        '<span class="fn-bracket">[</span>{mark}<span class="fn-bracket">]</span></a>',
        '<aside class="footnote brackets" id="f{i}" role="doc-footnote"><span class="label">'
        '<span class="fn-bracket">[</span><a role="doc-backlink" href="{text}#r{i}">{mark}</a>'
        '<span class="fn-bracket">]</span></span><p>{note}</p></aside>',
    ),
    "docutils, a table": Idiom(
        '<a class="footnote-reference" href="{notes}#f{i}" id="r{i}">[{mark}]</a>',
        '<table class="docutils footnote" frame="void" id="f{i}" rules="none"><tbody valign="top"><tr>'
        '<td class="label"><a class="fn-backref" href="{text}#r{i}">[{mark}]</a></td><td>{note}</td></tr></tbody>'
        "</table>",
    ),
    "asciidoctor": Idiom(
        '<sup class="footnote">[<a id="_footnoteref_{i}" class="footnote" href="{notes}#_footnotedef_{i}" '
        'title="View footnote.">{mark}</a>]</sup>',
        '<div class="footnote" id="_footnotedef_{i}"><a href="{text}#_footnoteref_{i}">{mark}</a>. {note}</div>',
        '<div id="footnotes"><hr/>{all}</div>',
    ),
    "openedition": Idiom(
        '<a class="footnotecall" id="bodyftn{i}" href="{notes}#ftn{i}">{mark}</a>',
        '<p class="notesbaspage"><span class="num"><a id="ftn{i}" href="{text}#bodyftn{i}">{mark}</a></span> '
        "{note}</p>",
    ),
    "kindle": Idiom(
        '<a id="rfn{i}" href="{notes}#fn{i}">{mark}</a>',
        '<p id="fn{i}"><a href="{text}#rfn{i}">{mark}</a> {note}</p>',
    ),
    "number in brackets outside the link": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<p id="n{i}">[<a href="{text}#r{i}">{mark}</a>] {note}</p>',
    ),
    "number in brackets at the end": Idiom(
        '<a id="r{i}" href="{notes}#n{i}">[{mark}]</a>',
        '<p id="n{i}">{note} <a href="{text}#r{i}">[{mark}]</a></p>',
    ),
    "raised number at the end": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<p id="n{i}">{note}<sup><a href="{text}#r{i}">{mark}</a></sup></p>',
    ),
    "arrow at the end": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<p id="n{i}">{note} <a href="{text}#r{i}">↩</a></p>',
    ),
    "arrow at the end, the number before": Idiom(
        '<sup id="r{i}"><a href="{notes}#n{i}">{mark}</a></sup>',
        '<p id="n{i}">{mark}. {note} <a href="{text}#r{i}">↑</a></p>',
    ),
    "back to the paragraph": Idiom(
        '<sup><a href="{notes}#n{i}">{mark}</a></sup><span id="p{i}"></span>',
        '<p id="n{i}">{mark}. {note} (<a href="{text}#p{i}">back</a>)</p>',
    ),
    "a sign": signs(
        '<a id="r{i}" href="{notes}#n{i}">{mark}</a>',
        '<p id="n{i}"><a href="{text}#r{i}">{mark}</a> {note}</p>',
    ),
    "definitions": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<dt id="n{i}"><a href="{text}#r{i}">{mark}</a></dt><dd>{note}</dd>',
        "<dl>{all}</dl>",
    ),
    "rows": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<tr><td><a id="n{i}" href="{text}#r{i}">{mark}</a></td><td>{note}</td></tr>',
        "<table>{all}</table>",
    ),
    "the link back declared as a mark": Idiom(
        '<a id="r{i}" epub:type="noteref" href="{notes}#n{i}">{mark}</a>',
        '<p id="n{i}"><a epub:type="noteref" href="{text}#r{i}">{mark}</a> {note}</p>',
    ),
}

LINKED_ONE_WAY: Mapping[str, Idiom] = {
    "raised number": Idiom('<sup><a href="{notes}#n{i}">{mark}</a></sup>', '<p id="n{i}">{mark}. {note}</p>'),
    "number in brackets": Idiom('<a href="{notes}#n{i}">[{mark}]</a>', '<p id="n{i}">[{mark}] {note}</p>'),
    "sign": signs('<a href="{notes}#n{i}">{mark}</a>', '<p id="n{i}">{mark} {note}</p>'),
    "number, the note without": Idiom(
        '<sup><a href="{notes}#n{i}">{mark}</a></sup>', '<p id="n{i}">{note}</p>'
    ),
    "plain number, the note declared": Idiom(
        ' <a href="{notes}#n{i}">{mark}</a>', '<p class="footnote" id="n{i}">{mark} {note}</p>'
    ),
    "raised by a style": Idiom(
        '<span style="vertical-align: super"><a href="{notes}#n{i}">{mark}</a></span>',
        '<p id="n{i}">{mark} {note}</p>',
    ),
    "epub 3 aside": Idiom(
        '<a href="{notes}#n{i}" epub:type="noteref">{mark}</a>',
        '<aside id="n{i}" epub:type="footnote">{note}</aside>',
    ),
    "a picture": Idiom(
        '<a class="duokan-footnote" href="{notes}#n{i}"><img src="note.png"/></a>',
        '<li class="duokan-footnote-item" id="n{i}"><p>{note}</p></li>',
        '<ol class="duokan-footnote-content">{all}</ol>',
        label=False,
    ),
}

LINKED_BACK_ONLY: Mapping[str, Idiom] = {
    "number": Idiom('<sup id="r{i}">{mark}</sup>', '<p><a href="{text}#r{i}">{mark}</a> {note}</p>'),
    "arrow": Idiom('<sup id="r{i}">{mark}</sup>', '<p>{mark}. {note} <a href="{text}#r{i}">↩</a></p>'),
    "number in brackets at the end": Idiom(
        '<span id="r{i}">[{mark}]</span>', '<p>{note} <a href="{text}#r{i}">[{mark}]</a></p>'
    ),
}

NOT_LINKED: Mapping[str, Idiom] = {
    "raised, declared": Idiom("<sup>{mark}</sup>", '<p class="footnote">{mark}. {note}</p>'),
    "raised, both": Idiom("<sup>{mark}</sup>", "<p><sup>{mark}</sup> {note}</p>"),
    "in brackets, typed": Idiom("[{mark}]", "<p>[{mark}] {note}</p>"),
}

INLINE: Mapping[str, Idiom] = {
    "latexml": Idiom(
        '<span id="footnote{i}" class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">{mark}</sup>'
        '<span class="ltx_note_outer"><span class="ltx_note_content"><sup class="ltx_note_mark">{mark}</sup>'
        '<span class="ltx_tag ltx_tag_note">{mark}</span>{note}</span></span></span>',
        "",
    ),
    "tufte": Idiom(
        '<label for="sn-{i}" class="margin-toggle sidenote-number"></label><input type="checkbox" id="sn-{i}" '
        'class="margin-toggle"/><span class="sidenote">{note}</span>',
        "",
        label=False,
    ),
    "a span of a note's class": Idiom('<span class="footnote">{note}</span>', "", label=False),
    "a span of a note's type": Idiom('<span epub:type="footnote">{note}</span>', "", label=False),
}
