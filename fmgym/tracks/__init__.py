"""The tracks: named, frozen bundles of league shape, calendar, tools, budgets, start, seats and score."""
