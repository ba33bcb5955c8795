"""What is written as XML is read back as it was."""

from xml.sax.saxutils import escape, quoteattr

from kinetree.syntax.xml.reader import Report, parse
from kinetree.syntax.xml.writer import XmlWriter

AWKWARD = "a & b < c > d \"e\" 'f' &amp; tab\tnewline\nreturn\r é"


def test_awkward_texts_survive():
    xml = XmlWriter()
    xml.leaf("note", AWKWARD.replace("\r", ""), text=AWKWARD)  # a return in a text is a new line to every XML reader
    report = Report()
    element = parse(xml.text(), "note.xml", report)
    assert element is not None, report.findings
    assert element.attributes == {"text": AWKWARD}
    assert element.text == AWKWARD.replace("\r", "")


def test_escapes_are_those_of_the_standard_library():
    xml = XmlWriter()
    xml.leaf("note", AWKWARD, text=AWKWARD)
    line = f"<note text={quoteattr(AWKWARD)}>{escape(AWKWARD)}</note>"
    assert xml.text().split("\n", 1)[1].rstrip("\n") == line


def test_texts_stand_inside_of_an_element_as_they_are():
    xml = XmlWriter()
    xml.open("robot")
    xml.around("geom", (text for text in ('<plugin plugin="a"/>', "<!-- b -->")), size="1")
    xml.around("geom", [], size="2")
    xml.close()
    inner = ['  <geom size="1">', '    <plugin plugin="a"/>', "    <!-- b -->", "  </geom>", '  <geom size="2"/>']
    assert xml.text().splitlines()[1:] == ["<robot>", *inner, "</robot>"]
