"""Rules that judge a stored report: pure functions of the report and the stored rows.

No model, no network, no clock; nothing here can change a report or start a call.
"""
