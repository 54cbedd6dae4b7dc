"""Other pytest plugins: syrupy's snapshots and Allure's results."""
