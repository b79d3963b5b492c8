"""Draws the program's icons from its SVG: ``python packaging/icons.py`` (needs PySide6; the results are committed).

PNG in the sizes that desktops look for, and the containers of Windows (.ico) and macOS (.icns), which hold PNG as well.
"""

import os
import struct
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parents[1] / "resources" / "icons"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 256)
ICNS_KINDS = {b"icp4": 16, b"icp5": 32, b"icp6": 64, b"ic07": 128, b"ic08": 256, b"ic09": 512, b"ic10": 1024}
"""Apple's names of the entries, and the pixels of each."""


def main() -> int:
    """Write all of them; returns 0."""
    application = QGuiApplication(sys.argv)
    svg = QSvgRenderer(str(ICONS / "two-machines.svg"))
    for size in SIZES:
        path = ICONS / "hicolor" / f"{size}x{size}" / "apps" / "two-machines.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(svg, size))
    (ICONS / "two-machines.ico").write_bytes(ico({size: png(svg, size) for size in ICO_SIZES}))
    (ICONS / "two-machines.icns").write_bytes(icns({kind: png(svg, size) for kind, size in ICNS_KINDS.items()}))
    del application
    return 0


def png(svg: QSvgRenderer, size: int) -> bytes:
    """The picture with so many pixels on each side."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    svg.render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(data.data())


def ico(pictures: dict[int, bytes]) -> bytes:
    """Windows' container: a directory with size and place of each picture, then the pictures."""
    place = 6 + 16 * len(pictures)
    directory, body = struct.pack("<HHH", 0, 1, len(pictures)), b""
    for size, data in pictures.items():
        directory += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), place + len(body))
        body += data
    return directory + body


def icns(pictures: dict[bytes, bytes]) -> bytes:
    """Apple's container: entries with their kind and length, behind the length of the whole."""
    body = b"".join(kind + struct.pack(">I", 8 + len(data)) + data for kind, data in pictures.items())
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


if __name__ == "__main__":
    sys.exit(main())
