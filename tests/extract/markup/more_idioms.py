"""More idioms of notes: what further programs write, and what people wrote by hand."""
# ruff: noqa: E501  # a line of markup per line; signs that look like others

from collections.abc import Mapping

from tests.extract.markup.idioms import Idiom

ROMAN = ("i", "ii", "iii", "iv", "v", "vi")
PROGRAMS: Mapping[str, Idiom] = {
    "mobipocket, filepos anchors": Idiom(
        '<a id="filepos100{i}"></a><a href="{notes}#filepos200{i}"><sup class="calibre4"><small>{mark}</small></sup></a>',
        '<p class="calibre_5"><a id="filepos200{i}"></a><a href="{text}#filepos100{i}"><span class="calibre6">{mark}</span></a> {note}</p>',
        '<div class="mbp_pagebreak" id="calibre_pb_9"></div>{all}',
    ),
    "mobipocket, anchor in a paragraph before": Idiom(
        '<a href="{notes}#filepos200{i}"><span class="calibre9">[{mark}]</span></a><a id="filepos100{i}"></a>',
        '<div class="calibre_1" id="filepos200{i}"></div><p class="calibre_5"><a href="{text}#filepos100{i}">[{mark}]</a> {note}</p>',
    ),
    "indesign endnotes": Idiom(
        '<span class="CharOverride-1"><span id="endnote-{i}-backlink"><a class="_idEndnoteLink _idGenColorInherit" href="{notes}#endnote-{i}">{mark}</a></span></span>',
        '<div class="_idEndnote"><p class="Endnote-Text ParaOverride-1"><span class="CharOverride-2"><a id="endnote-{i}" class="_idEndnoteAnchor" href="{text}#endnote-{i}-backlink"><span>{mark}</span></a></span><span class="CharOverride-3">\t{note}</span></p></div>',
        '<div class="_idEndnotes">{all}</div>',
    ),
    "tex4ht": Idiom(
        '<span class="footnote-mark"><a href="{notes}#fn{i}x0" id="fn{i}x0-bk"><sup class="textsuperscript">{mark}</sup></a></span><a id="x1-200f{i}"></a>',
        '<p class="indent"><span class="footnote-mark"><a href="{text}#fn{i}x0-bk" id="fn{i}x0"><sup class="textsuperscript">{mark}</sup></a></span><span class="cmr-8">{note}</span></p>',
        '<div class="footnotes">{all}</div>',
    ),
    "pandoc epub 2": Idiom(
        '<sup><a href="{notes}#fn{i}" class="footnoteRef" id="fnref{i}">{mark}</a></sup>',
        '<li id="fn{i}"><p>{note}<a href="{text}#fnref{i}">↩</a></p></li>',
        '<div class="footnotes"><hr/><ol>{all}</ol></div>',
    ),
    "word endnotes, roman": Idiom(
        '<a style="mso-endnote-id:edn{i}" href="{notes}#_edn{i}" name="_ednref{i}" title=""><span class="MsoEndnoteReference"><span style="vertical-align:super">[{mark}]</span></span></a>',
        '<div style="mso-element:endnote" id="edn{i}"><p class="MsoEndnoteText"><a href="{text}#_ednref{i}" name="_edn{i}" title=""><span class="MsoEndnoteReference"><span>[{mark}]</span></span></a> {note}</p></div>',
        '<div style="mso-element:endnote-list"><br clear="all"/><hr align="left" size="1" width="33%"/>{all}</div>',
        marks=ROMAN,
    ),
    "vellum": Idiom(
        '<sup class="noteref"><a epub:type="noteref" href="{notes}#note-{i}" id="noteref-{i}">{mark}</a></sup>',
        '<div class="note" id="note-{i}" epub:type="endnote" role="doc-endnote"><p class="first"><a href="{text}#noteref-{i}" class="note-number">{mark}</a>. {note}</p></div>',
    ),
    "multimarkdown (scrivener)": Idiom(
        '<a href="{notes}#fn:{i}" id="fnref:{i}" title="see footnote" class="footnote"><sup>{mark}</sup></a>',
        '<li id="fn:{i}"><p>{note} <a href="{text}#fnref:{i}" title="return to body" class="reversefootnote">&#160;&#8617;&#xfe0e;</a></p></li>',
        '<div class="footnotes"><hr/><ol>{all}</ol></div>',
    ),
    "ulysses": Idiom(
        '<a id="ffn{i}" href="{notes}#fn{i}" class="footnote">{mark}</a>',
        '<li><a id="fn{i}"></a><p>{note} <a href="{text}#ffn{i}" class="footnoteBackLink" title="Jump back to footnote {mark} in the text.">↩</a></p></li>',
        '<div id="footnotes"><ol>{all}</ol></div>',
    ),
    "gutenberg, footnote n: (return)": Idiom(
        '<a name="footnotetag{i}" id="footnotetag{i}"></a><a href="{notes}#footnote{i}"><sup>{mark}</sup></a>',
        '<blockquote class="footnote"><a name="footnote{i}" id="footnote{i}"></a><b>Footnote {mark}:</b><a href="{text}#footnotetag{i}"> (return) </a><p>{note}</p></blockquote>',
    ),
    "gutenberg, label in a paragraph": Idiom(
        '<a name="FNanchor{i}"></a><a href="{notes}#Footnote_{i}"><sup>[{mark}]</sup></a>',
        '<p><a name="Footnote_{i}"></a><a href="{text}#FNanchor{i}">[{mark}]</a></p><div class="note"><p>{note}</p></div>',
    ),
    "gutenberg, typed footnote": Idiom("[{mark}]", "<p>[Footnote {mark}: {note}]</p>"),
    "gutenberg, linked, [Footnote n:": Idiom(
        '<a href="{notes}#fn{i}" id="rf{i}">[{mark}]</a>',
        '<p id="fn{i}" class="footnote">[Footnote <a href="{text}#rf{i}">{mark}</a>: {note}]</p>',
    ),
    "distributed proofreaders, letters": Idiom(
        '<a name="FNanchor_{mark}_{i}" id="FNanchor_{mark}_{i}"></a><a href="{notes}#Footnote_{mark}_{i}" class="fnanchor">[{mark}]</a>',
        '<div class="footnote"><p><a name="Footnote_{mark}_{i}" id="Footnote_{mark}_{i}"></a><a href="{text}#FNanchor_{mark}_{i}"><span class="label">[{mark}]</span></a> {note}</p></div>',
        marks="ABCDEF",
    ),
    "wikisource": Idiom(
        '<sup id="cite_ref-{i}" class="reference"><a href="{notes}#cite_note-{i}">{mark}</a></sup>',
        '<li id="cite_note-{i}" class="wst-footnote"><span class="mw-cite-backlink"><a href="{text}#cite_ref-{i}" aria-label="Jump up" title="Jump up">↑</a></span> <span class="reference-text">{note}</span></li>',
        '<div class="reflist"><div class="mw-references-wrap"><ol class="references">{all}</ol></div></div>',
    ),
    "asciidoctor epub 3": Idiom(
        '<sup class="noteref">[<a id="noteref-{i}" href="{notes}#note-{i}" epub:type="noteref">{mark}</a>]</sup>',
        '<aside id="note-{i}" epub:type="footnote"><p><sup class="noteref"><a href="{text}#noteref-{i}">{mark}</a></sup> {note}</p></aside>',
        '<footer><div class="footnotes">{all}</div></footer>',
    ),
    "docbook": Idiom(
        '<a href="{notes}#ftn.idm{i}" class="footnote" id="idm{i}"><sup class="footnote">[{mark}]</sup></a>',
        '<div id="ftn.idm{i}" class="footnote"><p><a href="{text}#idm{i}" class="para"><sup class="para">[{mark}] </sup></a>{note}</p></div>',
        '<div class="footnotes"><br/><hr style="width:100; text-align:left;margin-left: 0"/>{all}</div>',
    ),
    "sphinx": Idiom(
        '<a class="footnote-reference brackets" href="{notes}#id2{i}" id="id1{i}">{mark}</a>',
        '<dt class="label" id="id2{i}"><span class="brackets"><a class="fn-backref" href="{text}#id1{i}">{mark}</a></span></dt><dd><p>{note}</p></dd>',
        '<dl class="footnote brackets">{all}</dl>',
    ),
    "goldmark": Idiom(
        '<sup id="fnref:{i}"><a href="{notes}#fn:{i}" class="footnote-ref" role="doc-noteref">{mark}</a></sup>',
        '<li id="fn:{i}"><p>{note}&#160;<a href="{text}#fnref:{i}" class="footnote-backref" role="doc-backlink">&#x21a9;&#xfe0e;</a></p></li>',
        '<div class="footnotes" role="doc-endnotes"><hr/><ol>{all}</ol></div>',
    ),
    "markdown-it": Idiom(
        '<sup class="footnote-ref"><a href="{notes}#fn{i}" id="fnref{i}">[{mark}]</a></sup>',
        '<li id="fn{i}" class="footnote-item"><p>{note} <a href="{text}#fnref{i}" class="footnote-backref">↩︎</a></p></li>',
        '<hr class="footnotes-sep"/><section class="footnotes"><ol class="footnotes-list">{all}</ol></section>',
    ),
    "wordpress": Idiom(
        '<sup data-fn="u{i}" class="fn"><a href="{notes}#u{i}" id="u{i}-link">{mark}</a></sup>',
        '<li id="u{i}">{note} <a href="{text}#u{i}-link" aria-label="Jump to footnote reference {mark}">↩︎</a></li>',
        '<ol class="wp-block-footnotes">{all}</ol>',
    ),
    "substack": Idiom(
        '<a class="footnote-anchor" id="footnote-anchor-{i}" href="{notes}#footnote-{i}" target="_self">{mark}</a>',
        '<div class="footnote"><a id="footnote-{i}" href="{text}#footnote-anchor-{i}" class="footnote-number">{mark}</a><div class="footnote-content"><p>{note}</p></div></div>',
    ),
    "journal article": Idiom(
        '<a href="{notes}#fn{i}" class="xref-fn"><sup>{mark}</sup></a>',
        '<div class="fn" id="fn{i}"><p><sup>{mark}</sup>{note}</p></div>',
        '<div class="fn-group">{all}</div>',
    ),
    "tei": Idiom(
        '<a id="Note{i}_return"></a><a class="notelink" title="A note" href="{notes}#Note{i}"><sup>{mark}</sup></a>',
        '<div class="note" id="Note{i}"><span class="noteLabel">{mark} </span><div class="noteBody">{note} <a class="link_return" title="Go back to text" href="{text}#Note{i}_return">↵</a></div></div>',
        '<div class="notes">{all}</div>',
    ),
    "[Return to text]": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<p id="n{i}">{mark}. {note} <a href="{text}#r{i}">[Return to text]</a></p>',
    ),
    "back to text": Idiom(
        '<a id="r{i}" href="{notes}#n{i}">[{mark}]</a>',
        '<p><a id="n{i}"></a>[{mark}] {note} <a href="{text}#r{i}">Back to text</a></p>',
    ),
    "go back": Idiom(
        '<a id="r{i}" href="{notes}#n{i}">[{mark}]</a>',
        '<p id="n{i}">{mark}. {note} <a href="{text}#r{i}">(go back)</a></p>',
    ),
    "a number in brackets outside the link, raised": Idiom(
        '<sup>(<a href="{notes}#n{i}" id="r{i}">{mark}</a>)</sup>',
        '<p id="n{i}">(<a href="{text}#r{i}">{mark}</a>) {note}</p>',
    ),
    "superscript digits": Idiom(
        '<a href="{notes}#n{i}" id="r{i}">{mark}</a>',
        '<p id="n{i}"><a href="{text}#r{i}">{mark}</a> {note}</p>',
        marks="¹²³⁴⁵⁶",
    ),
    "superscript digits, one way": Idiom(
        '<a href="{notes}#n{i}">{mark}</a>', '<p id="n{i}">{mark} {note}</p>', marks="¹²³⁴⁵⁶"
    ),
    "superscript digits, not linked": Idiom(
        "{mark}", '<p class="footnote">{mark} {note}</p>', marks="¹²³⁴⁵⁶"
    ),
    "hidden aside": Idiom(
        '<a href="{notes}#n{i}" epub:type="noteref">{mark}</a>',
        '<aside id="n{i}" epub:type="footnote" hidden="hidden"><p>{note}</p></aside>',
    ),
    "hidden asides in a hidden division": Idiom(
        '<a href="{notes}#n{i}" epub:type="noteref">{mark}</a>',
        '<aside id="n{i}" epub:type="footnote"><p>{note}</p></aside>',
        '<div style="display:none">{all}</div>',
    ),
    "a paragraph declared a footnote": Idiom(
        '<a href="{notes}#n{i}" epub:type="noteref"><sup>{mark}</sup></a>',
        '<p id="n{i}" epub:type="footnote">{mark} {note}</p>',
        '<div epub:type="footnotes">{all}</div>',
    ),
    "note n, in words": Idiom(
        '<a href="{notes}#n{i}" id="r{i}">[Note {mark}]</a>',
        '<p id="n{i}"><a href="{text}#r{i}">[Note {mark}]</a> {note}</p>',
    ),
    "list with the id inside the paragraph": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<li><p id="n{i}">{note} <a href="{text}#r{i}">↩</a></p></li>',
        "<ol>{all}</ol>",
    ),
    "list, caret first": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<li id="n{i}"><a href="{text}#r{i}">^</a> {note}</li>',
        "<ol>{all}</ol>",
    ),
    "a table, id on the cell of the text": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<tr><td>{mark}.</td><td id="n{i}">{note} <a href="{text}#r{i}">↑</a></td></tr>',
        "<table>{all}</table>",
    ),
    "font tags": Idiom(
        '<font size="-2"><a name="r{i}" href="{notes}#n{i}">({mark})</a></font>',
        '<p><font size="-1"><a name="n{i}" href="{text}#r{i}">({mark})</a> {note}</font></p>',
    ),
    "sup in a link in a sup": Idiom(
        '<sup class="frac"><a href="{notes}#n{i}" id="r{i}"><sup>{mark}</sup></a></sup>',
        '<p class="foot"><a id="n{i}" href="{text}#r{i}"><sup><b>{mark}</b></sup></a>\u2002{note}</p>',
    ),
    "a space inside the link": Idiom(
        '<a href="{notes}#n{i}" id="r{i}"> {mark} </a>',
        '<p id="n{i}"><a href="{text}#r{i}"> {mark} </a> {note}</p>',
    ),
    "stops after both": Idiom(
        '<sup><a href="{notes}#n{i}" id="r{i}">{mark}.</a></sup>',
        '<p id="n{i}"><a href="{text}#r{i}">{mark}.</a> {note}</p>',
    ),
    "div per note, number floating": Idiom(
        '<sup><a href="{notes}#n{i}" id="r{i}">{mark}</a></sup>',
        '<div class="en" id="n{i}"><div class="num"><a href="{text}#r{i}">{mark}</a></div><div class="txt">{note}</div></div>',
    ),
    "div per note, number in a paragraph of its own": Idiom(
        '<sup><a href="{notes}#n{i}" id="r{i}">{mark}</a></sup>',
        '<div id="n{i}"><p><a href="{text}#r{i}">{mark}</a></p><p>{note}</p></div>',
    ),
    "ao3, work endnotes": Idiom(
        '<sup><a name="return{i}" href="{notes}#note{i}">[{mark}]</a></sup>',
        '<p><a name="note{i}"></a><sup>[{mark}]</sup> {note} <sup><a href="{text}#return{i}">[return]</a></sup></p>',
    ),
    "margin note in an aside after the mark": Idiom(
        '<sup class="fn">{mark}</sup> <small class="footnote">{note}</small>', "", label=False
    ),
    "google docs, published": Idiom(
        '<sup class="c3"><a href="{notes}#ftnt{i}" id="ftnt_ref{i}">[{mark}]</a></sup>',
        '<div><p class="c1"><a href="{text}#ftnt_ref{i}" id="ftnt{i}">[{mark}]</a><span class="c4">&nbsp;{note}</span></p></div>',
        '<hr class="c8"/>{all}',
    ),
    "word, converted by calibre": Idiom(
        '<a id="_ftnref{i}" href="{notes}#_ftn{i}" title=""><span class="msofootnotereference"><span class="calibre3">[{mark}]</span></span></a>',
        '<div class="calibre1" id="ftn{i}"><p class="msofootnotetext"><a id="_ftn{i}" href="{text}#_ftnref{i}" title=""><span class="msofootnotereference"><span class="calibre3">[{mark}]</span></span></a> {note}</p></div>',
    ),
    "docx in calibre": Idiom(
        '<sup class="noteref" id="back_note_{i}"><a href="{notes}#note_{i}" title="1">{mark}</a></sup>',
        '<dt id="note_{i}">[<a href="{text}#back_note_{i}" title="1">←{mark}</a>]</dt><dd><p class="block_1">{note}</p></dd>',
        '<dl class="footnote">{all}</dl>',
    ),
    "circled numbers": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<p id="n{i}"><a href="{text}#r{i}">{mark}</a>{note}</p>',
        marks=("①", "②", "③", "④", "⑤", "⑥"),
    ),
    "japanese": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">注{mark}</a></sup>',
        '<p id="n{i}"><a href="{text}#r{i}">注{mark}</a> {note}</p>',
    ),
    "plain list under a heading": Idiom(
        "<sup>{mark}</sup>", "<li>{note}</li>", "<h2>Notes</h2><ol>{all}</ol>", label=False
    ),
    "one paragraph, line breaks": Idiom(
        '<sup><a id="r{i}" href="{notes}#n{i}">{mark}</a></sup>',
        '<a id="n{i}" href="{text}#r{i}">{mark}</a> {note}<br/>',
        '<p class="notes">{all}</p>',
    ),
    "org": Idiom(
        '<sup><a id="fnr.{i}" class="footref" href="{notes}#fn.{i}" role="doc-backlink">{mark}</a></sup>',
        '<div class="footdef"><sup><a id="fn.{i}" class="footnum" href="{text}#fnr.{i}" role="doc-backlink">{mark}</a></sup> <div class="footpara" role="doc-footnote"><p class="footpara">{note}</p></div></div>',
        '<div id="footnotes"><h2 class="footnotes">Footnotes: </h2><div id="text-footnotes">{all}</div></div>',
    ),
    "texinfo": Idiom(
        '<a id="DOCF{i}" href="{notes}#FOOT{i}"><sup>{mark}</sup></a>',
        '<h5 class="footnote-body-heading"><a id="FOOT{i}" href="{text}#DOCF{i}">({mark})</a></h5><p>{note}</p>',
        '<div class="footnotes-segment"><hr/><h4 class="footnotes-heading">Footnotes</h4>{all}</div>',
    ),
    "pictures of numbers": Idiom(
        '<a href="{notes}#n{i}" id="r{i}"><img src="n.png" alt="{mark}"/></a>',
        '<p id="n{i}"><a href="{text}#r{i}"><img src="n.png" alt="{mark}"/></a> {note}</p>',
    ),
    "an anchor before the paragraph": Idiom(
        '<a href="{notes}#n{i}" id="r{i}">{mark}</a>',
        '<a id="n{i}"></a><p>{mark} {note} [<a href="{text}#r{i}">back</a>]</p>',
    ),
    "distill": Idiom("<d-footnote>{note}</d-footnote>", "", label=False),
    "css, float: footnote": Idiom('<span style="float: footnote">{note}</span>', "", label=False),
    "tufte, in the margin": Idiom(
        '<label for="mn-{i}" class="margin-toggle">&#8853;</label><input type="checkbox" id="mn-{i}" class="margin-toggle"/><span class="marginnote">{note}</span>',
        "",
        label=False,
    ),
    "small, not linked": Idiom("<sup>{mark}</sup>", "<p><small><sup>{mark}</sup> {note}</small></p>"),
    "popover": Idiom(
        '<button popovertarget="fn{i}">{mark}</button>', '<div popover="auto" id="fn{i}">{note}</div>'
    ),
    "a script opens the note": Idiom(
        '<sup class="fnref" id="fnref-{i}"><a href="javascript:void(0)" data-target="#fn-{i}">{mark}</a></sup>',
        '<div class="fn" id="fn-{i}"><span class="fnnum">{mark}</span> {note}</div>',
    ),
    "a script opens the note, mark raised and no link": Idiom(
        '<sup data-bs-target="#fn-{i}" data-bs-toggle="collapse">{mark}</sup>',
        '<div class="collapse" id="fn-{i}">{note}</div>',
    ),
    "details": Idiom(
        "<sup>{mark}</sup>", '<details class="footnote"><summary>{mark}</summary><p>{note}</p></details>'
    ),
    "a mark and a list by their classes": Idiom(
        '<span class="fn-ref" data-fn="{i}">{mark}</span>',
        '<li data-fn-id="{i}">{note}</li>',
        '<ol class="fn-list">{all}</ol>',
        label=False,
    ),
    "wikipedia, cited more than once": Idiom(
        '<sup id="cite_ref-{i}" class="reference"><a href="{notes}#cite_note-{i}">[{mark}]</a></sup>',
        '<li id="cite_note-{i}">^ <a href="{text}#cite_ref-{i}"><sup><i><b>a</b></i></sup></a> <a href="{text}#cite_ref-x{i}"><sup><i><b>b</b></i></sup></a> <span class="reference-text">{note}</span></li>',
        '<ol class="references">{all}</ol>',
    ),
    "latex2html": Idiom(
        '<a id="tex2html{i}" href="{notes}#foot1{i}"><sup>{mark}</sup></a>',
        '<dt><a id="foot1{i}">... fall</a><a href="{text}#tex2html{i}"><sup>{mark}</sup></a></dt><dd>{note}</dd>',
        "<dl>{all}</dl>",
    ),
    "a division as heading": Idiom(
        '<a class="notelink" href="{notes}#Note{i}"><sup>{mark}</sup></a>',
        '<div class="note" id="Note{i}"><span class="noteLabel">{mark}. </span><div class="noteBody">{note}</div></div>',
        '<div class="notes"><div class="noteHeading">Notes</div>{all}</div>',
    ),
    "a heading per note": Idiom(
        '<sup>[<a href="{notes}#n{i}" id="r{i}">{mark}</a>]</sup>',
        '<h4 id="n{i}">Note {mark}</h4><p>{note}</p><p><a href="{text}#r{i}">(return)</a></p>',
        "<h2>Endnotes</h2>{all}",
    ),
    "a section per note": Idiom(
        '<a href="{notes}#n{i}" id="r{i}" class="nr">{mark}</a>',
        '<section id="n{i}"><header><a href="{text}#r{i}">{mark}</a></header><p>{note}</p></section>',
        '<section class="notes"><h2>Notes</h2>{all}</section>',
    ),
    "FN1": Idiom(
        '<a href="{notes}#fn{i}" id="fr{i}">FN{mark}</a>',
        '<p id="fn{i}"><a href="{text}#fr{i}">FN{mark}.</a> {note}</p>',
    ),
    "a number right after the word, one way": Idiom(
        '<a href="{notes}#n{i}">{mark}</a>', '<p><a id="n{i}"></a>{mark}. {note}</p>'
    ),
}
