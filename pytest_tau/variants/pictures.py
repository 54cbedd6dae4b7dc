"""Kinds that change a task's pictures: turned, blurred, cut, in poor light; and told instead of shown.

``told`` is the text twin of a task: the agent gets the descriptions of its pictures. What a run passes of tasks that
are told and not of those that are shown, it loses by not seeing. The others need Pillow.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from ..conversation.attaching import as_seen
from ..conversation.view import AgentView
from ..environment.domain import Domain
from ..errors import SettingsError
from ..schema.messages import AnyMessage, Attachment, attachments_of
from ..schema.task import Task
from .kinds import Dose, Kind

if TYPE_CHECKING:
    from PIL.Image import Image

# At full strength: degrees of a turn, blur in thousandths of the longer side, what is cut off, light that is missing.
_TURN, _BLUR, _CUT, _DARK = 60.0, 9.0, 0.25, 0.88
_COLORS = 128

Filter = Callable[["Image", float, Random], "Image"]


def _rotate(image: Image, strength: float, rng: Random) -> Image:
    from PIL import Image as images

    angle, table = _TURN * strength * rng.choice((-1, 1)), (96, 92, 88)
    turned = image.rotate(angle, expand=True, resample=images.Resampling.BICUBIC, fillcolor=table)
    turned.thumbnail(image.size)
    return turned


def _blur(image: Image, strength: float, rng: Random) -> Image:
    from PIL import ImageFilter

    return image.filter(ImageFilter.GaussianBlur(max(image.size) * _BLUR / 1000 * strength))


def _crop(image: Image, strength: float, rng: Random) -> Image:
    """Less on all sides: how much goes where the seed decides."""
    width, height = (side * _CUT * strength for side in image.size)
    left, top = width * rng.uniform(0.3, 0.7), height * rng.uniform(0.3, 0.7)
    return image.crop((int(left), int(top), int(image.width - width + left), int(image.height - height + top)))


def _darken(image: Image, strength: float, rng: Random) -> Image:
    """Darker, and with the grain that cameras then add."""
    from PIL import Image as images
    from PIL import ImageChops, ImageEnhance

    dark = ImageEnhance.Brightness(image).enhance(1 - _DARK * strength)
    grain = images.frombytes("L", image.size, rng.randbytes(image.width * image.height))
    return ImageChops.add(dark, grain.point([int(level * 0.12 * strength) for level in range(256)]).convert("RGB"))


_FILTERS: dict[str, Filter] = {"rotate": _rotate, "blur": _blur, "crop": _crop, "low_light": _darken}


def _has_pictures(task: Task, domain: Domain) -> bool:
    return bool(task.user_scenario.attachments)


def _can_be_told(task: Task, domain: Domain) -> bool:
    pictures = task.user_scenario.attachments or []
    return bool(pictures) and all(one.alt for one in pictures)


def _change_pictures(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    scenario = task.user_scenario
    pictures = [_picture(one, dose, seed) for one in scenario.attachments or []]
    return task.model_copy(update={"user_scenario": scenario.model_copy(update={"attachments": pictures})})


def _picture(one: Attachment, dose: Dose, seed: int) -> Attachment:
    content = _filter_picture(one.content, dose.kind, dose.strength, f"{seed}/{one.id}")
    made = Attachment.of(content, one.id, alt=one.alt)
    # There is no file of it, so the task itself holds it.
    return made.model_copy(update={"decides": one.decides, "data": base64.b64encode(content).decode()})


@lru_cache(maxsize=64)
def _filter_picture(content: bytes, kind: str, strength: float, seed: str) -> bytes:
    """A picture through a filter, as PNG; raises SettingsError without Pillow."""
    try:
        from PIL import Image as images
    except ModuleNotFoundError:
        raise SettingsError(
            f"--tau-perturb {kind}: changing pictures needs Pillow; install it with: pip install 'pytest-tau[images]'"
        ) from None
    file = io.BytesIO()
    with images.open(io.BytesIO(content)) as image:
        changed = _FILTERS[kind](image.convert("RGB"), strength, Random(f"{kind}/{strength}/{seed}"))
    changed.quantize(_COLORS, dither=images.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


class _DescribedPictures(AgentView):
    """Descriptions in the place of pictures."""

    def __init__(self, task: Task) -> None:
        self._words = {one.sha256: one.alt for one in task.user_scenario.attachments or []}

    def message(self, message: AnyMessage) -> AnyMessage:
        pictures = attachments_of(message)
        if not pictures:
            return message
        told = [one.model_copy(update={"alt": self._words.get(one.sha256, one.alt)}) for one in pictures]
        return as_seen(message.model_copy(update={"attachments": told}), "alt")


def _describe_pictures(task: Task, domain: Domain, dose: Dose, seed: int) -> Any:
    return _DescribedPictures(task)


PICTURES = (
    Kind("told", "pictures", "descriptions instead of pictures", _describe_pictures, applies=_can_be_told),
    Kind("rotate", "pictures", "pictures are turned", _change_pictures, applies=_has_pictures),
    Kind("blur", "pictures", "pictures are out of focus", _change_pictures, applies=_has_pictures),
    Kind(
        "crop", "pictures", "something is cut off at the borders of pictures", _change_pictures, applies=_has_pictures
    ),
    Kind("low_light", "pictures", "pictures are dark and grainy", _change_pictures, applies=_has_pictures),
)
