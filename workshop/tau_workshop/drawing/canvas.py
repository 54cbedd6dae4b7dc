"""Paper, screens and cameras: sheets to write on, and what a photograph makes of them.

A photograph is the sheet on a table, tilted, with grain, a little blur, less light and a border cut off, as its
``Camera`` says. All of it is drawn from a seed.
"""

from __future__ import annotations

import io
import random
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont

Color = tuple[int, int, int]
INK, GREY, PAPER, WHITE, RED = (28, 28, 32), (110, 112, 118), (250, 248, 242), (255, 255, 255), (186, 32, 38)
TABLES: tuple[Color, ...] = ((126, 98, 72), (92, 96, 104), (168, 150, 124), (70, 82, 74), (150, 154, 160))
LARGEST = 80_000
_COLORS = (128, 64, 32, 16)


@dataclass(frozen=True)
class Camera:
    """How a photograph is taken: degrees of tilt, pixels of blur, light from 0 to 1, grain, the share that is cut
    off."""

    tilt: float = 0.0
    blur: float = 0.0
    light: float = 1.0
    grain: int = 4
    cut: float = 0.0


STEADY = Camera(tilt=1.5, light=0.97, grain=3)
CASUAL = Camera(tilt=-7.0, blur=0.7, light=0.82, grain=5)
HASTY = Camera(tilt=13.0, blur=1.1, light=0.66, grain=7, cut=0.05)
USELESS = Camera(tilt=24.0, blur=15.0, light=0.38, grain=10, cut=0.1)
CAMERAS = (STEADY, CASUAL, HASTY)


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow."""
    return ImageFont.load_default(size)


class Sheet:
    """Something flat to write on; a cursor runs down it."""

    def __init__(self, width: int, height: int, color: Color = PAPER) -> None:
        self.image = Image.new("RGB", (width, height), color)
        self.draw = ImageDraw.Draw(self.image)
        self.width, self.height = width, height
        self.left, self.y = 28, 26

    def write(
        self, text: str, size: int = 22, color: Color = INK, *, x: int | None = None, gap: int = 8, right: bool = False
    ) -> None:
        """A line at the cursor, which moves down; ``right``: against the right border."""
        face = font(size)
        at = self.left if x is None else x
        if right:
            at = self.width - self.left - int(self.draw.textlength(text, face))
        self.draw.text((at, self.y), text, font=face, fill=color)
        self.y += size + gap

    def pair(self, name: str, value: str, size: int = 20) -> None:
        """A name at the left and its value at the right, on one line."""
        self.draw.text((self.left, self.y), name, font=font(size), fill=GREY)
        self.write(value, size, right=True)

    def field(self, name: str, value: str, x: int, y: int, size: int = 26) -> None:
        """A small name with its value below it, as forms have them."""
        self.draw.text((x, y), name, font=font(13), fill=GREY)
        self.draw.text((x, y + 17), value, font=font(size), fill=INK)

    def rule(self, color: Color = GREY) -> None:
        """A line across."""
        self.draw.line((self.left, self.y, self.width - self.left, self.y), fill=color, width=2)
        self.y += 12

    def bars(self, text: str, height: int = 56) -> None:
        """Something that looks like a bar code; it holds nothing that the text beside it does not."""
        rng, x = random.Random(text), self.left
        while x < self.width - self.left - 6:
            wide = rng.choice((2, 2, 3, 5))
            self.draw.rectangle((x, self.y, x + wide - 1, self.y + height), fill=INK)
            x += wide + rng.choice((2, 3, 4))
        self.y += height + 10


def photograph(sheet: Sheet | Image.Image, seed: str, camera: Camera, size: tuple[int, int] = (640, 480)) -> bytes:
    """A photograph of a sheet on a table, as PNG."""
    rng = random.Random(seed)
    flat = sheet.image if isinstance(sheet, Sheet) else sheet
    table = Image.new("RGB", size, rng.choice(TABLES))
    table = _add_grain(table, rng, 10).filter(ImageFilter.GaussianBlur(1.2))
    turned = flat.convert("RGBA").rotate(
        camera.tilt + rng.uniform(-1, 1), resample=Image.Resampling.BICUBIC, expand=True
    )
    room = (size[0] * 0.96, size[1] * 0.96)
    scale = min(room[0] / turned.width, room[1] / turned.height) * (1 + camera.cut)
    turned = turned.resize((int(turned.width * scale), int(turned.height * scale)), Image.Resampling.LANCZOS)
    place = ((size[0] - turned.width) // 2, (size[1] - turned.height) // 2)
    shadow = Image.new("L", size, 0)
    shadow.paste(turned.getchannel("A").point(lambda v: v // 2), (place[0] + 7, place[1] + 9))
    table.paste((0, 0, 0), mask=shadow.filter(ImageFilter.GaussianBlur(7)))
    table.paste(turned, place, turned)
    return _photograph(table, rng, camera)


def screenshot(sheet: Sheet) -> bytes:
    """A screen as it is, as PNG."""
    return _png(sheet.image)


def _photograph(scene: Image.Image, rng: random.Random, camera: Camera) -> bytes:
    lit = ImageEnhance.Brightness(_shade(scene, rng)).enhance(camera.light)
    soft = lit.filter(ImageFilter.GaussianBlur(camera.blur)) if camera.blur else lit
    return _png(_add_grain(soft, rng, camera.grain))


def _shade(scene: Image.Image, rng: random.Random) -> Image.Image:
    """Light that comes from one side."""
    slope = Image.linear_gradient("L").rotate(rng.choice((0, 90, 180, 270))).resize(scene.size)
    return Image.composite(scene, ImageEnhance.Brightness(scene).enhance(0.78), slope)


def _add_grain(scene: Image.Image, rng: random.Random, strength: int) -> Image.Image:
    """Grain in squares of two pixels, which costs a file less than single ones."""
    small = (scene.width // 2, scene.height // 2)
    noise = Image.frombytes("L", small, rng.randbytes(small[0] * small[1])).resize(scene.size, Image.Resampling.NEAREST)
    grain = noise.point(lambda v: v * strength // 255).convert("RGB")
    return ImageChops.subtract(ImageChops.add(scene, grain), Image.new("RGB", scene.size, (strength // 2,) * 3))


def _png(image: Image.Image) -> bytes:
    """The picture with as many colours as the largest allowed file takes."""
    content = b""
    for colors in _COLORS:
        file = io.BytesIO()
        image.quantize(colors, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        content = file.getvalue()
        if len(content) <= LARGEST:
            return content
    raise ValueError(f"{len(content)} bytes with the fewest colours: draw less")
