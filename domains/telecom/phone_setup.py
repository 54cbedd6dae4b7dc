"""What only tasks do to the phone: set up how a task starts, and assert how it must end."""

from functools import cached_property
from typing import Literal

from pytest_tau.environment import Toolkit

from . import rules
from .phone import APNNames, Device, NetworkStatus, PerformanceLevel, Surroundings, TelecomUserDatabase, VpnDetails


class PhoneSetup(Toolkit):
    """The functions for initial states and the assertions of the customer's side; none of them is a tool."""

    db: TelecomUserDatabase

    @property
    def _device(self) -> Device:
        return self.db.device

    @property
    def _surroundings(self) -> Surroundings:
        return self.db.surroundings

    @cached_property
    def _vpn_profile(self) -> VpnDetails:
        return VpnDetails(
            server_address="192.168.1.1", protocol="OpenVPN", server_performance=PerformanceLevel.EXCELLENT
        )

    def _connect_vpn(self) -> None:
        self._device.vpn_connected = True
        # The reference connects with the profile itself and not a copy: once broken, it stays so.
        self._device.vpn_details = self._vpn_profile if self.parity else self._vpn_profile.model_copy()

    def simulate_network_search(self) -> None:
        """Let the phone look for a network."""
        rules.search(self._device, self._surroundings)

    def set_user_info(self, name: str, phone_number: str) -> None:
        """Say who holds the phone."""
        self._surroundings.name = name
        self._surroundings.phone_number = phone_number

    def set_user_location(self, abroad: bool) -> None:
        """Say where the phone is."""
        self._surroundings.is_abroad = abroad

    def turn_airplane_mode_on(self) -> str:
        """Have airplane mode on, freshly."""
        return self._turn_airplane_mode(True)

    def turn_airplane_mode_off(self) -> str:
        """Have airplane mode off, freshly."""
        return self._turn_airplane_mode(False)

    def _turn_airplane_mode(self, wanted: bool) -> str:
        # Where it is so already, it is switched back and forth, which drops Wi-Fi and VPN.
        for _ in range(2 if self._device.airplane_mode == wanted else 1):
            rules.toggle_airplane_mode(self._device, self._surroundings)
        return f"Airplane Mode is now {on_off(wanted)}."

    def unseat_sim_card(self) -> str:
        """Take the SIM card out of its slot."""
        self._device.sim_card_missing = True
        self.simulate_network_search()
        return "SIM card un-seated successfully."

    def lock_sim_card(self, mode: str) -> str:
        """Lock the SIM card: "pin" or "puk"."""
        locks: dict[str, Literal["locked_pin", "locked_puk"]] = {"pin": "locked_pin", "puk": "locked_puk"}
        if mode in locks:
            self._device.sim_card_status = locks[mode]
        self.simulate_network_search()
        return f"SIM card locked successfully in {mode} mode."

    def turn_data_on(self) -> str:
        """Switch mobile data on, without a search."""
        self._device.data_enabled = True
        return "Data connection restored."

    def turn_data_off(self) -> str:
        """Switch mobile data off."""
        self._device.data_enabled = False
        self.simulate_network_search()
        return "Data connection broken."

    def turn_roaming_on(self) -> str:
        """Switch the phone's data roaming on."""
        return self._turn_roaming(True)

    def turn_roaming_off(self) -> str:
        """Switch the phone's data roaming off."""
        return self._turn_roaming(False)

    def _turn_roaming(self, wanted: bool) -> str:
        self._device.roaming_enabled = wanted
        self.simulate_network_search()
        return f"Data Roaming is now {on_off(wanted)}."

    def turn_data_saver_mode_on(self) -> str:
        """Switch data saver on."""
        return self._turn_data_saver_mode(True)

    def turn_data_saver_mode_off(self) -> str:
        """Switch data saver off."""
        return self._turn_data_saver_mode(False)

    def _turn_data_saver_mode(self, wanted: bool) -> str:
        self._device.data_saver_mode = wanted
        return f"Data Saver Mode is now {on_off(wanted)}."

    def break_apn_settings(self) -> str:
        """Set an access point that does not work."""
        self._device.active_apn_settings.apn_name = APNNames.BROKEN
        self.simulate_network_search()
        return "APN settings broken. Please call reset_apn_settings() to fix."

    def break_apn_mms_setting(self) -> str:
        """Lose the server for picture messages."""
        self._device.active_apn_settings.mmsc_url = None
        return "APN MMS setting broken. Please call reset_apn_settings() to fix."

    def set_wifi_calling(self, enabled: bool, mms_over_wifi: bool | None = None) -> str:
        """Set Wi-Fi calling, and whether picture messages are to go that way too."""
        self._device.wifi_calling_enabled = enabled
        said = f"Wi-Fi Calling is now {on_off(enabled)}."
        if mms_over_wifi is None:
            return said
        self._device.wifi_calling_mms_over_wifi = mms_over_wifi
        return f"{said}\nMMS over Wi-Fi is now {on_off(mms_over_wifi)}."

    def break_vpn(self) -> str:
        """Have a VPN that is slow."""
        if not self._device.vpn_connected:
            self._connect_vpn()
        if self._device.vpn_details is not None:
            self._device.vpn_details.server_performance = PerformanceLevel.POOR
        return "VPN connection broken."

    def remove_app_permission(self, app_name: str, permission: str) -> tuple[bool, str]:
        """Take a permission from an app."""
        permission = permission.lower()
        app = self._device.app_statuses.get(app_name)
        if app is None:
            return False, f"App '{app_name}' not found. Cannot remove permission."
        if permission not in type(app.permissions).model_fields:
            return False, f"Permission '{permission}' not tracked for app '{app_name}'."
        setattr(app.permissions, permission, False)
        return True, f"Permission '{permission}' removed from app '{app_name}'."

    def assert_airplane_mode_status(self, expected_status: bool) -> bool:
        """Whether airplane mode is as expected."""
        return self._device.airplane_mode == expected_status

    def assert_service_status(self, expected_status: str) -> bool:
        """Whether the phone is connected as expected; raises ValueError for a status there is not."""
        return self._device.network_connection_status == NetworkStatus(expected_status)

    def assert_mobile_data_status(self, expected_status: bool) -> bool:
        """Whether mobile data gets through, or does not, as expected."""
        return rules.data_works(self._device, self._surroundings) == expected_status

    def assert_mobile_roaming_status(self, expected_status: bool) -> bool:
        """Whether the phone's data roaming is as expected."""
        return self._device.roaming_enabled == expected_status

    def assert_mobile_data_saver_mode_status(self, expected_status: bool) -> bool:
        """Whether data saver is as expected."""
        return self._device.data_saver_mode == expected_status

    def assert_internet_speed(self, expected_speed: float, expected_desc: str | None = None) -> bool:
        """Whether mobile data is at least that fast (in Mbps), and of that class if one is given."""
        mbps, name = rules.speed(self._device, self._surroundings)
        right_class = expected_desc is None or name.lower() == expected_desc.lower()
        return (mbps or 0.0) >= expected_speed and right_class

    def assert_internet_not_excellent(self) -> bool:
        """Whether mobile data is slower than it should be."""
        return rules.speed(self._device, self._surroundings)[1] != "Excellent"

    def assert_can_send_mms(self, expected_status: bool) -> bool:
        """Whether picture messages can be sent, or cannot, as expected."""
        return rules.can_send_mms(self._device, self._surroundings) == expected_status

    def assert_mobile_data_usage_exceeded(self, expected_status: bool) -> bool:
        """Whether the line's data is used up, or is not, as expected."""
        return self._surroundings.mobile_data_usage_exceeded == expected_status


def on_off(value: bool) -> str:
    """How the phone writes a switch."""
    return "ON" if value else "OFF"
