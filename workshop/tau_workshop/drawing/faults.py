"""What can be wrong with a phone: how it comes about, what its screen shows, and how the customer complains of it."""

from typing import Any

WELL = {
    "Airplane mode": "Off",
    "Mobile data": "On",
    "Data saver": "Off",
    "Data roaming": "Off",
    "VPN": "Off",
    "Preferred network": "4G/5G",
    "Access point": "internet",
}
# What is wrong, how it comes about, what the screen shows of it, and how it is put right.
FAULTS: list[
    tuple[str, list[tuple[str, str, dict[str, Any]]], dict[str, str], str, list[tuple[str, dict[str, Any]]]]
] = [
    (
        "airplane_mode",
        [("user", "turn_airplane_mode_on", {})],
        {"Airplane mode": "On", "Mobile data": "On"},
        "none",
        [("toggle_airplane_mode", {})],
    ),
    ("data_switched_off", [("user", "turn_data_off", {})], {"Mobile data": "Off"}, "5G", [("toggle_data", {})]),
    (
        "data_saver",
        [("user", "turn_data_saver_mode_on", {})],
        {"Data saver": "On"},
        "5G",
        [("toggle_data_saver_mode", {})],
    ),
    ("slow_vpn", [("user", "break_vpn", {})], {"VPN": "On (slow server)"}, "5G", [("disconnect_vpn", {})]),
    (
        "old_network",
        [("user", "set_network_mode_preference", {"mode": "2g_only"})],
        {"Preferred network": "2G only"},
        "2G",
        [("set_network_mode_preference", {"mode": "4g_5g_preferred"})],
    ),
    (
        "access_point",
        [("user", "break_apn_settings", {})],
        {"Access point": "brokn.apn"},
        "none",
        [("reset_apn_settings", {}), ("reboot_device", {})],
    ),
    (
        "roaming_abroad",
        [("user", "set_user_location", {"abroad": True})],
        {"Data roaming": "Off", "Country": "Portugal"},
        "none",
        [("toggle_roaming", {})],
    ),
]
COMPLAINTS = [
    "Nothing works on my phone any more. I can't get a page to load, I can't do anything. Please tell me what to change.",
    "I can make calls, but the internet on my phone is dead. What do I have to switch?",
    "My mobile data crawls, and it used to be fast. I'd like to know which setting to change.",
    "Everything on my phone loads in slow motion. What should I change?",
    "The internet on my phone has become awfully slow since I let my son play with it. What did he change?",
    "There's no internet on my phone at all. I must have touched something in the settings.",
    "I'm on holiday in Portugal and my phone has no internet. What do I have to do?",
]
