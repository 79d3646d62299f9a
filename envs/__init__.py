"""Gymnasium and PettingZoo environments over the simulator."""
