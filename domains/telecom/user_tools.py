"""The customer's tools: what one can look at and do on the phone. What goes wrong is said, not raised."""

from pytest_tau.environment import tool

from . import rules
from .arguments import ApnSettings
from .phone import APNSettings, NetworkModePreference, Permissions
from .phone_setup import PhoneSetup, on_off

_SIM = {
    "active": "Your SIM card is active and working.",
    "missing": "No SIM card detected in the phone.",
    "locked_pin": "The SIM card is locked with a PIN code.",
    "locked_puk": "The SIM card is locked with a PUK code.",
}
_SPEED = {
    "Very Poor": "Connection is very slow. Basic web browsing might be difficult.",
    "Poor": "Connection is slow. Web browsing may be sluggish, streaming difficult.",
    "Fair": "Connection is okay for web browsing and some standard definition streaming.",
    "Good": "Connection is good for most activities, including HD streaming.",
    "Excellent": "Connection is very fast.",
}


class TelecomUserTools(PhoneSetup):
    """What the customer can do with the phone."""

    @tool(reads=True)
    def check_status_bar(self) -> str:
        """Read the bar above all apps: signal, network, mobile data, Wi-Fi, VPN and battery."""
        return f"Status Bar: {rules.status_bar(self._device)}"

    @tool(reads=True)
    def check_network_status(self) -> str:
        """Open the network page of the settings: airplane mode, SIM, mobile network, data, roaming and Wi-Fi."""
        phone = self._device
        lines = [
            f"Airplane Mode: {on_off(phone.airplane_mode)}",
            f"SIM Card Status: {rules.sim_status(phone)}",
            f"Cellular Connection: {phone.network_connection_status}",
            f"Cellular Signal: {phone.network_signal_strength}",
            f"Cellular Network Type: {phone.network_technology_connected}",
            f"Mobile Data Enabled: {_yes_no(phone.data_enabled)}",
            f"Data Roaming Enabled: {_yes_no(phone.roaming_enabled)}",
            f"Wi-Fi Radio: {on_off(phone.wifi_enabled)}",
            f"Wi-Fi Connected: {_yes_no(phone.wifi_connected)}",
        ]
        return "\n".join([*lines, *[f"Connected Wi-Fi Network: {phone.wifi_ssid}"] * phone.wifi_connected])

    @tool(reads=True)
    def check_network_mode_preference(self) -> str:
        """See which mobile networks the phone is allowed to use."""
        return f"Network Mode Preference: {self._device.network_mode_preference.value}"

    @tool(writes=True)
    def set_network_mode_preference(self, mode: NetworkModePreference | str) -> str:
        """Choose which mobile networks the phone may use.

        Args:
            mode: One of "4g_5g_preferred", "4g_only", "3g_only" and "2g_only".
        """
        known = [preference.value for preference in NetworkModePreference]
        if isinstance(mode, str):
            accepted = NetworkModePreference(mode) if mode in known else None
        else:  # only under parity, where the reference stores whatever it gets
            accepted = self._device.network_mode_preference = mode
        if accepted is not None:
            self._device.network_mode_preference = accepted
        if accepted is not None or mode is None:
            self.simulate_network_search()
        if accepted is None:
            options = ", ".join(known)
            return self._with_bar(
                f"Failed to set network mode: '{mode}' is not a valid option. Please use one of: {options}"
            )
        return self._with_bar(f"Preferred Network Mode set to: {accepted.value}")

    @tool(reads=True)
    def run_speed_test(self) -> str:
        """Measure how fast mobile data is."""
        mbps, name = rules.speed(self._device, self._surroundings)
        if mbps is None:
            return f"Speed test failed: {name}."
        return f"Speed Test Result: {mbps:.2f} Mbps ({name}). {_SPEED[name]}"

    @tool(writes=True)
    def toggle_airplane_mode(self) -> str:
        """Flip airplane mode. While it is on, the phone has neither mobile network nor Wi-Fi."""
        rules.toggle_airplane_mode(self._device, self._surroundings)
        return self._with_bar(f"Airplane Mode is now {on_off(self._device.airplane_mode)}.")

    @tool(reads=True)
    def check_sim_status(self) -> str:
        """See whether the SIM card works, is missing, or is locked."""
        return _SIM[rules.sim_status(self._device)]

    @tool(writes=True)
    def reseat_sim_card(self) -> str:
        """Take the SIM card out and put it back in properly."""
        self._device.sim_card_missing = False
        self.simulate_network_search()
        return self._with_bar("SIM card re-seated successfully.")

    @tool(writes=True)
    def toggle_data(self) -> str:
        """Flip mobile data."""
        self._device.data_enabled = not self._device.data_enabled
        self.simulate_network_search()
        return self._with_bar(f"Mobile Data is now {on_off(self._device.data_enabled)}.")

    @tool(writes=True)
    def toggle_roaming(self) -> str:
        """Flip the phone's data roaming, which is needed for mobile data abroad."""
        self._device.roaming_enabled = not self._device.roaming_enabled
        self.simulate_network_search()
        return self._with_bar(f"Data Roaming is now {on_off(self._device.roaming_enabled)}.")

    @tool(reads=True)
    def check_data_restriction_status(self) -> str:
        """See whether data saver is on."""
        return (
            "Data Saver mode is ON (limits data usage)." if self._device.data_saver_mode else "Data Saver mode is OFF."
        )

    @tool(writes=True)
    def toggle_data_saver_mode(self) -> str:
        """Flip data saver, which slows mobile data down."""
        self._device.data_saver_mode = not self._device.data_saver_mode
        return self._with_bar(f"Data Saver Mode is now {on_off(self._device.data_saver_mode)}.")

    @tool(reads=True)
    def check_apn_settings(self) -> str:
        """See the access point for mobile data and the server for picture messages."""
        apn = self._device.active_apn_settings.model_copy()  # a text stored under parity fails here, by this name
        return (
            f"Current APN Name: {apn.apn_name}\nMMSC URL (for picture messages): {apn.mmsc_url or 'Not Set'}\n"
            "(These are technical settings, usually best left unchanged.)"
        )

    @tool(writes=True)
    def set_apn_settings(self, apn_settings: ApnSettings) -> str:
        """Replace the access point settings at once.

        Args:
            apn_settings: The new settings; what is left out gets the usual value.
        """
        made = APNSettings(**apn_settings) if isinstance(apn_settings, dict) else apn_settings
        self._device.active_apn_settings = made
        said = f"APN settings set to: {made.apn_name}"  # fails for a text stored under parity, before the search
        self.simulate_network_search()
        return self._with_bar(said)

    @tool(writes=True)
    def reset_apn_settings(self) -> str:
        """Have the access point settings go back to the provider's at the next reboot."""
        self._device.active_apn_settings.reset_at_reboot = True
        self.simulate_network_search()
        return self._with_bar("APN settings will reset at reboot.")

    @tool(reads=True)
    def check_wifi_status(self) -> str:
        """See whether Wi-Fi is on and which network it is connected to."""
        phone = self._device
        if not phone.wifi_enabled:
            return "Wi-Fi is turned OFF."
        if not phone.wifi_connected:
            return "Wi-Fi is ON but not connected to any network."
        return f"Wi-Fi is ON and connected to '{phone.wifi_ssid}'. Signal strength: {phone.wifi_signal_strength}."

    @tool(writes=True)
    def toggle_wifi(self) -> str:
        """Flip Wi-Fi. In airplane mode it stays as it is."""
        if self._device.airplane_mode:
            return self._with_bar("Cannot change Wi-Fi settings while Airplane Mode is ON.")
        self._device.wifi_enabled = not self._device.wifi_enabled
        if not self._device.wifi_enabled:
            rules.leave_wifi(self._device)
        return self._with_bar(f"Wi-Fi is now {on_off(self._device.wifi_enabled)}.")

    @tool(reads=True)
    def check_wifi_calling_status(self) -> str:
        """See whether Wi-Fi calling is on."""
        return f"Wi-Fi Calling is currently turned {on_off(self._device.wifi_calling_enabled)}."

    @tool(writes=True)
    def toggle_wifi_calling(self) -> str:
        """Flip Wi-Fi calling."""
        self._device.wifi_calling_enabled = not self._device.wifi_calling_enabled
        return self._with_bar(f"Wi-Fi Calling is now {on_off(self._device.wifi_calling_enabled)}.")

    @tool(reads=True)
    def check_vpn_status(self) -> str:
        """See whether a VPN is connected, and through which server."""
        phone = self._device
        if not phone.vpn_connected:
            return (
                "VPN is turned ON in settings, but currently not connected."
                if phone.vpn_enabled_setting
                else "VPN is turned OFF."
            )
        if phone.vpn_details is None:
            return "VPN is ON and connected (no specific details available)."
        # The reference shows the insides of its enumeration; so recorded conversations do.
        details = phone.vpn_details.model_dump(mode="python" if self.parity else "json")
        return f"VPN is ON and connected. Details: {details}"

    @tool(writes=True)
    def connect_vpn(self) -> str:
        """Connect to the VPN."""
        if self._device.vpn_connected:
            return "VPN already connected."
        self._connect_vpn()
        return self._with_bar("VPN connected successfully.")

    @tool(writes=True)
    def disconnect_vpn(self) -> str:
        """Disconnect from the VPN."""
        if not self._device.vpn_connected:
            return self._with_bar("No active VPN connection to disconnect.")
        rules.disconnect_vpn(self._device)
        return self._with_bar("VPN disconnected successfully.")

    @tool(reads=True)
    def check_installed_apps(self) -> str:
        """List the apps on the phone."""
        return f"The following apps are installed on the phone: {', '.join(self._device.app_statuses)}"

    @tool(reads=True)
    def check_app_status(self, app_name: str) -> str:
        """Look at an app in the settings.

        Args:
            app_name: The app, such as "messaging".
        """
        app = self._device.app_statuses.get(app_name)
        if app is None:
            return _no_such_app(app_name)
        granted = app.permissions.granted_names()
        if not granted:
            return f"Status for App: {app_name}\n - Permissions: None granted."
        return "\n   - ".join([f"Status for App: {app_name}\n - Permissions Granted:", *granted])

    @tool(reads=True)
    def check_app_permissions(self, app_name: str) -> str:
        """See what an app is allowed to do.

        Args:
            app_name: The app, such as "messaging".
        """
        app = self._device.app_statuses.get(app_name)
        if app is None:
            return _no_such_app(app_name)
        granted = ", ".join(app.permissions.granted_names())
        if not granted:
            return f"App '{app_name}' currently has no permissions granted."
        return f"App '{app_name}' has permission for: {granted}."

    @tool(writes=True)
    def grant_app_permission(self, app_name: str, permission: str) -> str:
        """Allow an app to do something.

        Args:
            app_name: The app, such as "messaging".
            permission: What to allow, in lower case: "sms", "storage", "phone" or "network".
        """
        permission = permission.lower()
        app = self._device.app_statuses.get(app_name)
        tracked = list(Permissions.model_fields)
        if app is None:
            said = f"Error. App '{app_name}' not found. Cannot grant permission."
        elif permission not in tracked:
            said = (
                f"Error. Permission '{permission}' not tracked for app '{app_name}', available permissions: {tracked}"
            )
        else:
            setattr(app.permissions, permission, True)
            said = f"Success. Permission '{permission}' granted to app '{app_name}'."
        return self._with_bar(said)

    @tool(reads=True)
    def can_send_mms(self) -> str:
        """Try whether the messaging app can send a picture message."""
        can = "can" if rules.can_send_mms(self._device, self._surroundings) else "cannot"
        return f"Your messaging app {can} send MMS messages."

    @tool(writes=True)
    def reboot_device(self) -> str:
        """Switch the phone off and on again; access point settings that were reset take effect now."""
        said = "Restarting network services..."
        if self._device.active_apn_settings.reset_at_reboot:
            self._device.active_apn_settings = APNSettings()
            said = f"Resetting APN settings...\n{said}"
        self.simulate_network_search()
        return self._with_bar(said)

    @tool(reads=True)
    def check_payment_request(self) -> str:
        """See whether the provider asks for a payment."""
        request = self._surroundings.payment_request
        if request is None:
            return "No payment request has been made."
        return f"You have a payment request for bill {request.bill_id} of {request.amount_due} USD."

    @tool(writes=True)
    def make_payment(self) -> str:
        """Pay what the provider asks for."""
        request = self._surroundings.payment_request
        if request is None:
            return "You do not have a payment request."
        request.paid = True
        return f"Payment of {request.amount_due} USD has been made for bill {request.bill_id}."

    def _with_bar(self, said: str) -> str:
        return f"{said}\nStatus Bar: {rules.status_bar(self._device)}"


def _yes_no(value: bool) -> str:
    return "Yes" if value else "No"


def _no_such_app(app_name: str) -> str:
    return f"App '{app_name}' not found on this phone."
