"""Word and OpenDocument files written by hand, part by part."""

import zipfile
from pathlib import Path

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_NAMES = (
    f'xmlns:w="{_W}" xmlns:r="{RELATIONS}" xmlns:mc="mc" xmlns:wp="wp" '
    'xmlns:a="a" xmlns:v="v" xmlns:o="o" xmlns:m="m" xmlns:wps="wps" xmlns:c="c"'
)
_KINDS = {
    "comments": "comments",
    "header1": "header",
    "footer1": "footer",
    "chart1": "chart",
    "page": "aFChunk",
}
STYLES = "".join(
    f'<w:style w:styleId="{id}"><w:name w:val="{name}"/>{more}</w:style>'
    for id, name, more in (
        ("berschrift1", "heading 1", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
        ("berschrift2", "heading 2", ""),
        ("Kapitel", "Kapitel", '<w:basedOn w:val="berschrift1"/>'),
        ("Inhalt", "TOC Heading", '<w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
        ("V1", "toc 1", ""),
        ("Titel", "Title", ""),
        ("Zitat", "Quote", ""),
        ("Code", "HTML Preformatted", ""),
        ("Beschriftung", "caption", ""),
        ("Aufz", "List Bullet", '<w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>'),
        ("Loop", "Loop", '<w:basedOn w:val="Pool"/>'),
        ("Pool", "Pool", '<w:basedOn w:val="Loop"/>'),
        ("Geheim", "Secret", "<w:rPr><w:vanish/></w:rPr>"),
    )
)


def run(text: str, properties: str = "") -> str:
    """Return a run of text."""
    how = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{how}<w:t xml:space="preserve">{text}</w:t></w:r>'


def p(content: str, style: str = "", properties: str = "") -> str:
    """Return a paragraph of runs; text is one."""
    name = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{name}{properties}</w:pPr>{content if content[:1] == '<' else run(content)}</w:p>"


def field(code: str, result: str) -> str:
    """Return a field with its result."""
    parts = ("begin", f"<w:r><w:instrText>{code}</w:instrText></w:r>", "separate", result, "end")
    return "".join(
        part if part[:1] == "<" else f'<w:r><w:fldChar w:fldCharType="{part}"/></w:r>' for part in parts
    )


def notes(kind: str, **texts: str) -> str:
    """Return the part with the notes of a kind, by their ids after a letter, below the separator."""
    each = "".join(f'<w:{kind} w:id="{id[1:]}">{content}</w:{kind}>' for id, content in texts.items())
    line = f'<w:{kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>'
    return f"<w:{kind}s {_NAMES}>{line}{each}</w:{kind}s>"


def write_docx(path: Path, body: str, **parts: str | bytes) -> Path:
    """Write a Word file with this body; parts are those of its folder `word`, without their suffix."""
    parts.setdefault("styles", f"<w:styles {_NAMES}>{STYLES}</w:styles>")
    links = "".join(
        f'<Relationship Id="r{name}" Type="{RELATIONS}/{_KINDS.get(name, name)}" Target="{name}.xml"/>'
        for name in parts
    )
    core = (
        '<cp:coreProperties xmlns:cp="cp" xmlns:dc="dc" xmlns:dcterms="dcterms"><dc:title>On Salt</dc:title>'
        "<dc:creator>Ida Marlow; Jo Fell</dc:creator><dc:language>en-GB</dc:language><cp:keywords>salt, sea"
        "</cp:keywords><dcterms:created>2021-03-04T10:00:00Z</dcterms:created></cp:coreProperties>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(
            "_rels/.rels",
            f'<Relationships><Relationship Type="{RELATIONS}/officeDocument" Target="word/document.xml"/>'
            '<Relationship Type="x/core-properties" Target="docProps/core.xml"/></Relationships>',
        )
        archive.writestr("docProps/core.xml", core)
        archive.writestr("word/document.xml", f"<w:document {_NAMES}><w:body>{body}</w:body></w:document>")
        archive.writestr("word/_rels/document.xml.rels", f"<Relationships>{links}</Relationships>")
        for name, part in parts.items():
            if isinstance(part, str) and "<w:" in part and _W not in part:
                part = part.replace(">", f" {_NAMES}>", 1)
            archive.writestr(f"word/{name}.xml", part)
    return path


_ODF = " ".join(
    f'xmlns:{prefix}="{prefix}"'
    for prefix in ("office", "text", "style", "table", "draw", "svg", "xlink", "dc", "meta", "fo", "manifest")
)
ODT_STYLES = (
    '<style:style style:family="paragraph" style:name="P1" style:parent-style-name="Quotations"/>'
    '<style:style style:family="paragraph" style:name="P2" style:parent-style-name="Preformatted_20_Text"/>'
    '<style:style style:family="text" style:name="T1"><style:text-properties '
    'style:text-position="super 58%"/></style:style><style:style style:family="text" style:name="T2">'
    '<style:text-properties text:display="none"/></style:style>'
)


def write_odt(path: Path, body: str, margins: str = "", **members: str) -> Path:
    """Write an OpenDocument text with this body; members are further files, with `_slash_` and `_dot_`."""
    meta = (
        "<dc:title>On Salt</dc:title><meta:initial-creator>Ida Marlow</meta:initial-creator>"
        "<dc:creator>A clerk</dc:creator><meta:creation-date>2021-03-04T10:00:00</meta:creation-date>"
        "<dc:language>en-GB</dc:language>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr(
            "content.xml",
            f"<office:document-content {_ODF}><office:automatic-styles>{ODT_STYLES}</office:automatic-styles>"
            f"<office:body><office:text>{body}</office:text></office:body></office:document-content>",
        )
        archive.writestr("styles.xml", f"<office:document-styles {_ODF}>{margins}</office:document-styles>")
        archive.writestr("meta.xml", f"<office:document-meta {_ODF}>{meta}</office:document-meta>")
        for name, text in members.items():
            archive.writestr(name.replace("_slash_", "/").replace("_dot_", "."), text.replace("ODF", _ODF))
    return path
