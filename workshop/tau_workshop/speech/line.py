"""A telephone line: espeak-ng says a text, noise is laid over it, and a recogniser writes down what it hears.

All of it runs on this machine. The recogniser is faster-whisper with a model in a folder, or pocketsphinx, whose
English model is inside its wheel and which hears little right. The same text, voice and noise give the same words.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import wave
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pytest_tau.errors import SettingsError

RATE = 16_000
"""Samples a second that recognisers take."""
VOICES = ("en-us", "en-gb", "en-gb-scotland", "en-us+f3", "en-gb+m5", "en-us+m2")
_SPEAKER = "espeak-ng"
_NOISE = 0.01  # of full volume


class SpeechLine:
    """Says texts and hears them again. ``hears``: what is heard of samples between -1 and 1."""

    def __init__(self, hears: Callable[[Any], str]) -> None:
        self._hears = hears

    def hear(self, text: str, number: int = 0) -> str:
        """What is heard of a text; ``number`` chooses the voice, its speed and the noise."""
        import numpy as np

        sound = spoken(text, VOICES[number % len(VOICES)], 140 + 10 * (number % 4))
        noise = np.random.default_rng(number).normal(0, _NOISE, len(sound))
        return " ".join(self._hears((sound + noise).clip(-1, 1).astype("float32")).split())


def open_line(model: Path | None) -> SpeechLine:
    """A line; raises SettingsError where the speaker or the recogniser is missing.

    Args:
        model: the folder of a model for faster-whisper; None for pocketsphinx.
    """
    if shutil.which(_SPEAKER) is None:
        raise SettingsError(f"{_SPEAKER} is not installed; install it with your system's packages")
    needed = "faster_whisper" if model is not None else "pocketsphinx"
    if find_spec(needed) is None:
        raise SettingsError(f"the recogniser {needed} is not installed; install {needed.replace('_', '-')} with pip")
    if model is not None and not (model / "model.bin").is_file():
        raise SettingsError(f"there is no model of faster-whisper in {model}: it has no model.bin")
    return SpeechLine(_pocketsphinx() if model is None else _whisper(model))


def _whisper(model: Path) -> Callable[[Any], str]:
    import faster_whisper

    made = faster_whisper.WhisperModel(
        str(model), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
    )

    def hears(sound: Any) -> str:
        parts, _ = made.transcribe(
            sound,
            language="en",
            beam_size=1,
            temperature=0.0,
            without_timestamps=True,
            condition_on_previous_text=False,
        )
        return "".join(part.text for part in parts)

    return hears


def _pocketsphinx() -> Callable[[Any], str]:
    import pocketsphinx

    decoder = pocketsphinx.Decoder(samprate=RATE, loglevel="FATAL")

    def hears(sound: Any) -> str:
        decoder.start_utt()
        decoder.process_raw((sound * 32767).astype("<i2").tobytes(), no_search=False, full_utt=True)
        decoder.end_utt()
        found = decoder.hyp()
        return "" if found is None else re.sub(r"\(\d+\)", "", found.hypstr)

    return hears


def spoken(text: str, voice: str, speed: int) -> Any:
    """A text as sound: samples between -1 and 1, ``RATE`` a second."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "said.wav"
        command = [_SPEAKER, "-v", voice, "-s", str(speed), "-w", str(file), "--stdin"]
        subprocess.run(command, input=text.encode(), check=True, capture_output=True)  # noqa: S603
        with wave.open(str(file)) as sound:
            samples = np.frombuffer(sound.readframes(sound.getnframes()), dtype="<i2") / 32768
            rate = sound.getframerate()
    places = np.arange(0, len(samples), rate / RATE)
    return np.interp(places, np.arange(len(samples)), samples)
