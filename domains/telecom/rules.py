"""How the phone behaves: network search, mobile data, speed, picture messages, and the status bar that shows it."""

from .phone import (
    APNNames,
    Device,
    NetworkModePreference,
    NetworkStatus,
    PerformanceLevel,
    Signal,
    Surroundings,
    Technology,
)

_ONLY: list[tuple[NetworkModePreference, Technology]] = [
    (NetworkModePreference.FOUR_G_ONLY, "4G"),
    (NetworkModePreference.THREE_G_ONLY, "3G"),
    (NetworkModePreference.TWO_G_ONLY, "2G"),
]
_MBPS: dict[Technology, tuple[float, float]] = {
    "none": (0, 0),
    "2G": (0.1, 0.4),
    "3G": (1, 5),
    "4G": (10, 100),
    "5G": (50, 500),
}
_SHARE: dict[Signal, float] = {"none": 0.0, "poor": 0.2, "fair": 0.5, "good": 0.8, "excellent": 1.0}
_POOR_VPN = 0.1
_DATA_SAVER = 0.2
_CLASSES = [(1, "Very Poor"), (5, "Poor"), (25, "Fair"), (100, "Good"), (float("inf"), "Excellent")]
_BARS: dict[Signal, str] = {
    "none": "📵 No Signal",
    "poor": "📶¹ Poor",
    "fair": "📶² Fair",
    "good": "📶³ Good",
    "excellent": "📶⁴ Excellent",
}


def search(device: Device, surroundings: Surroundings) -> None:
    """Look for a network: sets the three fields that say what the phone is connected to."""
    _connect(device, surroundings, sim_status(device) == "active" and not device.airplane_mode)
    # Asked last: under parity the access point may be something that has no name. The search ends there with an error,
    # and what it has found by then stays, as in the reference.
    if device.active_apn_settings.apn_name == APNNames.BROKEN or not surroundings.line_active:
        _connect(device, surroundings, False)


def _connect(device: Device, surroundings: Surroundings, found: bool) -> None:
    technology = _technology(device, surroundings) if found else "none"
    device.network_connection_status = NetworkStatus.CONNECTED if found else NetworkStatus.NO_SERVICE
    device.network_technology_connected = technology
    device.network_signal_strength = surroundings.signal_strength.get(technology, "none")


def _technology(device: Device, surroundings: Surroundings) -> Technology:
    preference = device.network_mode_preference
    best = surroundings.signal_strength.get("5G", "none") != "none"
    if preference == NetworkModePreference.FOUR_G_5G_PREFERRED and best:
        return "5G"
    return next((technology for mode, technology in _ONLY if mode == preference), "4G")


def sim_status(device: Device) -> str:
    """The SIM's state as the phone sees it: a card that is not in its slot hides its lock."""
    return "missing" if device.sim_card_missing else device.sim_card_status


def toggle_airplane_mode(device: Device, surroundings: Surroundings) -> None:
    """Flip airplane mode. Either way Wi-Fi loses its network; switching on drops the VPN as well."""
    device.airplane_mode = not device.airplane_mode
    if device.airplane_mode:
        disconnect_vpn(device)
    else:
        device.network_connection_status = NetworkStatus.SEARCHING
    if device.airplane_mode or device.wifi_enabled:
        leave_wifi(device)
    search(device, surroundings)


def leave_wifi(device: Device) -> None:
    """Drop the Wi-Fi network."""
    device.wifi_connected = False
    device.wifi_ssid = None
    device.wifi_signal_strength = "none"


def disconnect_vpn(device: Device) -> None:
    """Drop the VPN."""
    device.vpn_connected = False
    device.vpn_details = None


def data_works(device: Device, surroundings: Surroundings) -> bool:
    """Whether mobile data gets through."""
    roams = device.roaming_enabled and surroundings.roaming_allowed
    return (
        not device.airplane_mode
        and device.network_signal_strength != "none"
        and device.network_connection_status != NetworkStatus.NO_SERVICE
        and (roams or not surroundings.is_abroad)
        and device.data_enabled
        and not surroundings.mobile_data_usage_exceeded
    )


def speed(device: Device, surroundings: Surroundings) -> tuple[float | None, str]:
    """Mobile data speed in Mbps with its class; None where no data gets through."""
    if not data_works(device, surroundings):
        return None, "No Connection"
    poor_vpn = device.vpn_details is not None and device.vpn_details.server_performance == PerformanceLevel.POOR
    factor = _POOR_VPN if device.vpn_connected and poor_vpn else 1.0
    if device.data_saver_mode:
        factor *= _DATA_SAVER
    low, high = _MBPS[device.network_technology_connected]
    mbps = round((low + high) / 2.0 * _SHARE[device.network_signal_strength] * factor, 2)
    return mbps, next(name for limit, name in _CLASSES if mbps < limit)


def can_send_mms(device: Device, surroundings: Surroundings) -> bool:
    """Whether the messaging app can send a picture message; it goes over mobile data only."""
    messaging = device.app_statuses.get("messaging")
    return (
        data_works(device, surroundings)
        and device.network_technology_connected != "2G"
        and not (device.wifi_calling_enabled and device.wifi_calling_mms_over_wifi)
        and device.active_apn_settings.mmsc_url is not None
        and messaging is not None
        and messaging.permissions.storage
        and messaging.permissions.sms
    )


def status_bar(device: Device) -> str:
    """What the phone shows above all apps."""
    parts = ["✈️ Airplane Mode"] if device.airplane_mode else _network_part(device)
    if device.wifi_enabled and device.wifi_connected:
        parts.append(f"📡 Connected to {device.wifi_ssid}" if device.wifi_ssid else "📡 Enabled")
    if device.vpn_connected:
        parts.append("🔒 VPN Connected")
    return " | ".join([*parts, f"🔋 {device.battery_level}%"])


def _network_part(device: Device) -> list[str]:
    parts = [_BARS[device.network_signal_strength]]
    connected = device.network_technology_connected != "none"
    if connected:
        parts.append(device.network_technology_connected)
    if not (connected and device.data_enabled):
        return [*parts, "📵 Data Disabled"]
    return [*parts, "📱 Data Enabled", *["🔽 Data Saver"] * device.data_saver_mode]
