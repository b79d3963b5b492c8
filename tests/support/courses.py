"""Seconds of a timeline's parts."""

from advisor.diagnosis.parts import Course, PartId


def seconds_of(course: Course, wanted: PartId) -> float:
    """Middle seconds of a part; 0 where it does not occur or is not known."""
    part = course.part(wanted)
    took = part.took.or_none() if part is not None else None
    return took.middle_s if took is not None else 0.0
