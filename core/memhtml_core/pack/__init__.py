"""Recall folded into tiers under a budget."""
