"""Adapters for agent frameworks. Each imports its framework only when it is imported itself."""
