"""The path of one diagnosis: survey, scope, plan, gather, analyse, report, verify, finalise.

`pipeline` holds their order. `run` and `replay` carry a stored session along it. `journal` records
every effect, `facts` are what claims may cite, `hypotheses` tests playbooks, `wording` writes the
sentences, `gate` and `rows` judge and summarise what is stored.
"""
