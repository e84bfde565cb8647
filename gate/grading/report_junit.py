"""The grades as JUnit XML, for a CI system: a suite a student, a test case an exercise.

`fail` is a failure, `ungradable` an error; nothing is ever skipped. There is no time in it: the same grades give the
same bytes.

Not here: points (`report_csv`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from gate.grading.words import Exercise, Grade

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(grades: Sequence[Grade]) -> str:
    """Return the whole file. What XML cannot hold is replaced by a question mark."""
    root = ET.Element("testsuites", name="gate grade")
    for grade in grades:
        suite = ET.SubElement(root, "testsuite", name=_text(f"{grade.lab}: {grade.student}"))
        if grade.problem:
            case = ET.SubElement(suite, "testcase", classname=_text(grade.lab), name="submission")
            ET.SubElement(case, "error", message=_text(grade.problem))
        for exercise in grade.exercises:
            _case(suite, exercise)
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            suite.set(name, str(len(suite.findall(f".//{tag}"))))
        suite.set("skipped", "0")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, exercise: Exercise) -> None:
    case = ET.SubElement(suite, "testcase", classname=_text(exercise.notebook), name=_text(exercise.id))
    if exercise.value == "pass":
        return
    wrong = [check for check in exercise.checks if check.value != "pass"]
    told = "\n".join(f"{check.code} {check.field}: {check.told}" for check in wrong)
    message = exercise.note or f"{len(wrong)} of {len(exercise.checks)} checks went wrong"
    tag = "failure" if exercise.value == "fail" else "error"
    ET.SubElement(case, tag, message=_text(message)).text = _text(told)


def _text(text: str) -> str:
    return _NO_XML.sub("?", text)
