"""Speed, as ratios measured side by side in one run: absolute times say more of the machine."""
