"""The customer's side: the phone with its settings, and what surrounds it."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from pytest_tau.environment import Database, Record

from .schema import Strict

SimStatus = Literal["active", "missing", "locked_pin", "locked_puk"]
Signal = Literal["none", "poor", "fair", "good", "excellent"]
Technology = Literal["none", "2G", "3G", "4G", "5G"]


class NetworkStatus(StrEnum):
    """Whether the phone is on a mobile network."""

    CONNECTED = "connected"
    SEARCHING = "searching"
    NO_SERVICE = "no_service"
    EMERGENCY_ONLY = "emergency_only"


class NetworkModePreference(StrEnum):
    """Which mobile networks the phone may use."""

    FOUR_G_5G_PREFERRED = "4g_5g_preferred"
    FOUR_G_ONLY = "4g_only"
    THREE_G_ONLY = "3g_only"
    TWO_G_ONLY = "2g_only"


class PerformanceLevel(StrEnum):
    """How fast a VPN server is."""

    UNKNOWN = "unknown"
    POOR = "poor"
    FAIR = "fair"
    GOOD = "good"
    EXCELLENT = "excellent"


class APNNames(StrEnum):
    """The access points there are: one that works, and one that does not."""

    INTERNET = "internet"
    BROKEN = "broken"


class APNSettings(Strict):
    """How the phone gets to the provider's data network."""

    apn_name: APNNames = Field(APNNames.INTERNET, description="Access point for mobile data.")
    reset_at_reboot: bool = Field(False, description="Go back to the provider's settings at the next reboot.")
    mms_apn: str | None = Field("mms", description="Access point for picture messages.")
    mmsc_url: str | None = Field(
        "http://mms.carrier.com/mms/wapenc", description="Server that takes picture messages; none can be sent without."
    )
    mms_proxy: str | None = Field(None, description="Proxy for picture messages, if there is one.")
    mms_port: int | None = Field(None, description="Port of that proxy.")


class VpnDetails(Strict):
    """The VPN server in use."""

    server_address: str | None = None
    protocol: str | None = None
    server_performance: PerformanceLevel = PerformanceLevel.UNKNOWN


class Permissions(Strict):
    """What an app may do."""

    sms: bool = False
    storage: bool = False
    phone: bool = False
    network: bool = False

    def granted_names(self) -> list[str]:
        """The names of what is allowed."""
        return [name for name, allowed in self if allowed]


class App(Strict):
    """An installed app."""

    app_name: str
    permissions: Permissions = Field(default_factory=Permissions)


def _apps() -> dict[str, App]:
    return {
        "messaging": App(app_name="messaging", permissions=Permissions(sms=True, storage=True, phone=True)),
        "browser": App(app_name="browser", permissions=Permissions(storage=True, network=True)),
    }


class Device(Strict):
    """The phone. The three ``network_*`` fields are what the last search found, and stay so until the next."""

    sim_card_status: SimStatus = "active"
    sim_card_missing: bool = False
    airplane_mode: bool = False
    network_signal_strength: Signal = "good"
    network_technology_connected: Technology = "5G"
    network_connection_status: NetworkStatus = NetworkStatus.CONNECTED
    battery_level: int = 80
    data_enabled: bool = True
    roaming_enabled: bool = False
    network_mode_preference: NetworkModePreference = NetworkModePreference.FOUR_G_5G_PREFERRED
    active_apn_settings: APNSettings = Field(default_factory=APNSettings)
    wifi_enabled: bool = False
    wifi_connected: bool = False
    wifi_ssid: str | None = None
    wifi_signal_strength: Signal = "none"
    wifi_calling_enabled: bool = False
    wifi_calling_mms_over_wifi: bool = False
    data_saver_mode: bool = False
    vpn_enabled_setting: bool = False
    vpn_connected: bool = False
    vpn_details: VpnDetails | None = None
    app_statuses: dict[str, App] = Field(default_factory=_apps)


def _signals() -> dict[Technology, Signal]:
    return {"2G": "poor", "3G": "fair", "4G": "good", "5G": "excellent"}


class PaymentRequest(Strict):
    """A bill that the customer is asked to pay."""

    bill_id: str
    amount_due: float
    paid: bool = False


class Surroundings(Strict):
    """Who holds the phone and where, and what the provider's side lets it do."""

    name: str | None = None
    phone_number: str | None = None
    is_abroad: bool = False
    roaming_allowed: bool = False
    signal_strength: dict[Technology, Signal] = Field(default_factory=_signals)
    mobile_data_usage_exceeded: bool = False
    line_active: bool = True
    payment_request: PaymentRequest | None = None


class TelecomUserDatabase(Database):
    """The customer's side."""

    device: Record[Device]
    surroundings: Record[Surroundings]
