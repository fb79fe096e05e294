"""Benchmarks: figures as ratios in one run; see measure.py."""
