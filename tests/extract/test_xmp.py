"""The XMP packet of a PDF: whom and what it names, and when it is left alone."""

from pathlib import Path

from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, StreamObject

from alexandria.book.model import Metadata
from alexandria.extract import extract
from tests.extract.typeset import LONG, typeset, write

PACKET = """<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
  xmp:CreateDate="2024-02-29T10:10:10Z" {attributes}>{properties}</rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="w"?>"""


def array(name: str, *items: str, kind: str = "Seq") -> str:
    listed = "".join(f"<rdf:li{item}</rdf:li>" for item in items)
    return f"<dc:{name}><rdf:{kind}>{listed}</rdf:{kind}></dc:{name}>"


def read(
    tmp_path: Path, properties: str, attributes: str = "", *, author: str = "", title: str = ""
) -> Metadata:
    """Return what is read from a PDF with these properties in its packet, and this author in its Info."""
    writer = PdfWriter(
        clone_from=PdfReader(write(tmp_path / "plain.pdf", typeset(LONG), title=title or None))
    )
    if author:
        writer.add_metadata({"/Author": author})
    packet = StreamObject()
    packet.set_data(PACKET.format(properties=properties, attributes=attributes).encode())
    writer.root_object[NameObject("/Metadata")] = writer._add_object(packet)
    writer.write(tmp_path / "stated.pdf")
    return extract(tmp_path / "stated.pdf").metadata


def test_everything_that_a_citation_needs_is_read(tmp_path: Path) -> None:
    read_of = read(
        tmp_path,
        array("creator", ">Ursula K. Le Guin", ">García Márquez, Gabriel")
        + array("title", ' xml:lang="de">Das Meer', ' xml:lang="x-default">The Sea', kind="Alt")
        + array("publisher", ">London: Gollancz", kind="Bag")
        + array("subject", ">islands", ">boats", kind="Bag")
        + "<dc:identifier>uuid:7d1c0fc2-16d2-11ec-9621-0242ac130002</dc:identifier>"
        + "<prism:isbn>978-0-14-044915-5</prism:isbn>",
        'prism:publicationDate="1968"',
        author="someone at the printer's",
        title="Sea, draft 3",
    )
    assert (read_of.title, read_of.authors) == ("The Sea", ("Ursula K. Le Guin", "Gabriel García Márquez"))
    assert [(person.family, person.given) for person in read_of.people] == [
        ("Le Guin", "Ursula K."),
        ("García Márquez", "Gabriel"),
    ]
    assert (read_of.place, read_of.publisher, read_of.date) == ("London", "Gollancz", "1968")
    assert (read_of.identifiers, read_of.subjects) == (("978-0-14-044915-5",), ("islands", "boats"))


def test_an_article_is_in_a_journal(tmp_path: Path) -> None:
    cases: list[tuple[str, tuple[str, ...]]] = [
        (
            "<prism:aggregationType>journal</prism:aggregationType><prism:number>3</prism:number>"
            "<prism:startingPage>167</prism:startingPage><prism:endingPage>191</prism:endingPage>",
            ("article", "Salt Annals", "6", "3", "167–191"),
        ),
        ("<prism:pageRange>167-191</prism:pageRange>", ("article", "Salt Annals", "6", "", "167–191")),
        ("<prism:aggregationType>book</prism:aggregationType>", ("book", "", "", "", "")),
    ]
    for properties, read_of in cases:
        name = "<prism:publicationName>Salt Annals</prism:publicationName>"
        stated = read(tmp_path, f"{name}{properties}", 'prism:volume="6" prism:coverDisplayDate="May 1969"')
        keys = ("kind", "container", "container_volume", "issue", "pages")
        assert tuple(getattr(stated, key) for key in keys) == read_of
        assert stated.date == "May 1969"


def test_what_the_packet_does_not_know_is_that_of_the_info(tmp_path: Path) -> None:
    cases = {
        "nothing": "",
        "placeholders": array("creator", ">Unknown") + array("title", ">untitled", kind="Alt"),
        "no XML": "<dc:creator>&",
    }
    for properties in cases.values():
        read_of = read(tmp_path, properties, author="Ida Marlow", title="The Sea")
        assert (read_of.title, read_of.authors, read_of.people) == ("The Sea", ("Ida Marlow",), ())
        assert read_of.date == ""  # `CreateDate` is that of the file


def test_the_packet_of_a_picture_is_not_that_of_the_document(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.pdf", typeset(LONG), title="The Sea")
    writer = PdfWriter(clone_from=PdfReader(plain))
    packet = StreamObject()
    packet.set_data(PACKET.format(properties=array("title", ">IMG 0001", kind="Alt"), attributes="").encode())
    writer.pages[0][NameObject("/Metadata")] = writer._add_object(packet)
    writer.write(tmp_path / "stated.pdf")
    assert extract(tmp_path / "stated.pdf").metadata.title == "The Sea"
