"""English words that link: order, cause, comparison, periods, statistics, guesses, advice."""

__all__ = ["LISTING"]

# As `en.LISTING`.
LISTING = """\
comparison most if superlative
    most
order before
    ahead of, prior to, preceded, precedes, precede, in advance of, followed by,
    was followed by, were followed by, then, and then, after which, leading up to, by the time,
    then came, came before, comes before, well before, shortly before, just before,
    right before, immediately before, long before, until then, not until, only then
order after
    following, followed, follows, preceded by, was preceded by, subsequent to, in the wake of,
    on the heels of, came after, comes after, no sooner than, shortly after, just after,
    right after, immediately after, soon after, long after, trailed, trailing, well after,
    directly after, once
order same
    at the same time, simultaneously, simultaneous, concurrently, concurrent with,
    together with, at the same moment, at the same instant, in lockstep, in step with,
    coincide*, coincident, coincidentally, in parallel, in tandem, at that moment, same minute,
    same second, same time, in unison, meanwhile
order first
    first, first of the, the first of, earliest, to begin with, led the way, at first,
    initially, started with, began with, begins with, starts with, began at, first to,
    the first to, originally affected
order last
    the last to, latest of, last to, last of all
order before unless period_next
    before
order after unless period_next
    after, afterwards, afterward
period baseline
    previously, normally, usually, typically, ordinarily, baseline, the baseline, at baseline,
    in the baseline, historically, beforehand, formerly, as usual, usual, customary,
    had been normal, had been usual, had been the norm, used to be normal, used to be the norm,
    in normal operation, in normal times, under normal conditions, under normal circumstances,
    in normal conditions, in calm times, in quiet times, before that, before then, before this,
    until then, pre incident, pre fault, pre outage, pre failure, pre spike, prior, used to be,
    used to, in peace time, in peacetime, on a normal day, on a good day, before the incident,
    before the fault, before the outage, before the failure, before the problem,
    before the event, before the anomaly, before the trouble, before the onset,
    before the disruption, before the degradation, before it started, before it began,
    before things went bad, before things broke, prior to the incident, prior to the fault,
    prior to the outage, prior to that, prior to this, ahead of the incident,
    ahead of the fault, ahead of the outage, until the incident, until the fault,
    in the hour before, in the minutes before, the hour before, normal level, normal levels,
    normal value, normal rate, normal range, than normal, than usual, than before,
    than baseline, than the baseline, quiet period, reference period, in the reference window,
    steady state, in steady state, in the past, once was, until the trouble, calm period,
    pre incident level, usual level, usual rate, usual value, habitual, in ordinary times,
    as it did, than it did, as it was, than it was, as they did, than they did, the preceding,
    in the preceding, the previous, previous
period baseline if period_next
    before
period baseline unless staying
    normal
period incident
    now, currently, at present, during, in the incident, in the incident window,
    during the incident, during the fault, during the outage, during the event, in the outage,
    since then, from then on, thereafter, at the moment, right now, after the incident,
    after the fault, after the onset, after the outage, after the incident began,
    after the incident started, after it started, after it began, once it started,
    once it began, once things went bad, since the incident, since the fault, since the outage,
    since the onset, while it lasted, throughout the incident, over the incident,
    incident window, within the incident, after that, in that stretch, in that window,
    in that time, in that period, in this window, in this period, mid incident, presently,
    nowadays, post incident, post fault, as of now, by now, in the meantime
period incident if period_next
    after, afterwards, afterward
period incident if since_time
    since
period from if from_number
    from
period to if number_next
    to
comparison more
    exceed*, surpass*, outnumber*, outpace*, outstrip**, in excess of, above, dwarf*, outweigh*,
    topped, beyond, the higher, the slower, the larger, the longer, the bigger, the greater
comparison less
    below, lag** behind, beneath, the lower, the faster, the smaller, the shorter
comparison equal unless number_next
    equal to, equals, equal, equally, same as, the same as, identical, identical to, as many as,
    as much as, on par with, on a par with, no different from, no different than, matches,
    matched, matching, in line with, similar to, comparable to, indistinguishable from,
    the same number, the same amount, exactly like, tied with
statistic max if number_next
    as many as, as much as, as high as, up to, as long as
cause forward unless cause_noun
    cause, causes
cause root if cause_noun
    cause, causes
cause forward
    lead to, leads to, led to, leading to, have led to, result in, results in, resulted in,
    resulting in, bring about, brings about, brought about, give rise to, gave rise to,
    gives rise to, giving rise to, trigger*, drive, drives, drove, driving, induce*, provoke*,
    spark*, precipitate*, prompt*, set off, sets off, therefore, thus, hence, consequently,
    as a result, as a consequence, which is why, that is why, that's why, for this reason,
    for that reason, responsible for, is to blame for, was to blame for, explains, explain,
    explained, is the cause of, was the cause of, were the cause of, is the root cause of,
    was the root cause of, is the reason for, was the reason for, the driver of, is a cause of,
    a cause of, propagate*, propagate* to, cascade*, cascade* into, cascade* to, spread to,
    spreads to, spreading to, spilled over, spill* over, spill* over to, spill* into, rippled,
    ripple* through, knock on effect, took down, takes down, taking down, taken down by,
    brought down, bring down, brings down, knocked out, knock out, knocks out, took out,
    contribute* to, contributed to, affects, affecting, impacting, makes it, bled into,
    bleeds into, translated into, translates into, culminated in, dragged down,
    drags down, drag down, pulled down, pulls down, is why, was why, thereby, accordingly,
    so as a result, caused, causing, forced, forces, forcing, which is how, that is how,
    this is how, is what made, is what makes, is what caused
cause forward if so_forward
    so
cause backward
    because, because of, due to, owing to, thanks to, caused by, is caused by, was caused by,
    were caused by, been caused by, driven by, triggered by, provoked by, induced by,
    prompted by, set off by, resulting from, results from, resulted from, result from,
    a result of, as a result of, the result of, as a consequence of, a consequence of,
    the consequence of, consequence of, stem** from, traced to, traced back to, traces back to,
    trace back to, attributed to, attributable to, can be attributed to, blamed on,
    explained by, is explained by, brought about by, brought down by, taken down by,
    dragged down by, affected by, impacted by, hit by, originate* in, originate* from,
    originate* at, arises from, arose from, arising from, on account of, in response to,
    follows from, followed from, a side effect of, down to the, comes down to, boils down to,
    rooted in, made worse by, worsened by, overwhelmed by, starved by, owes to, by way of,
    choked by, inasmuch as, given that, seeing that, forced by, produced by, a symptom of,
    symptom of, a victim of, victim of, victims of, for want of, the fault of, fault lies with
cause backward unless since_time
    since
cause root
    root cause, root causes, the root cause, the root cause of, the cause of, underlying cause,
    culprit, culprits, the reason, reason for, the reason for, source of, the source of,
    the origin of, origin of, the origin, origin, at fault, to blame, trigger of, the trigger,
    guilty, the offender, offender, the problem is, the problem was, the problem lies,
    the fault lies, what broke, smoking gun, perpetrator, the villain
statistic max
    peak, peaks, peaked, peaking, peak at, at its peak, at the peak, maximum, max, at its worst,
    at worst, topped out, tops out, topping out, at its highest, crested, high water mark,
    maxed, maximally, hit a high of, reached a high of, at the highest, culminating, maxes out,
    top value, the worst of it
statistic min
    minimum, min, at its lowest, at the lowest, bottomed, trough, troughs, troughed,
    hit a low of, reached a low of, low point, at its lowest point, at the bottom
statistic mean
    mean, average, averages, averaged, averaging, avg, on average, the mean, in the mean,
    arithmetic mean, per request, averagely, a mean of
statistic median
    median, the median, medians, in the median
statistic total
    total, totals, totalled, totaled, totalling, totaling, in total, altogether, overall, sum,
    combined, cumulatively, cumulative, summed, amount* to, amounted to, came to, add* up to,
    add up to, in sum, taken together, all together, between them
statistic last
    at the end, in the end, final, last reading, last value, last sample, last measured,
    last recorded, the last reading, the last value, the last sample, most recent,
    most recently, latest, ended at, ending at, ends at, latest value, at last count,
    by the end, at the close, last seen at, finished at, last known, to this minute,
    as of now, to this day, when the recording stopped,
    when the recording ended, when the recording stops, when the recording ends,
    when the window closed, when the data ended
statistic p50
    p50
statistic p90
    p90
statistic p95
    p95
statistic p99
    p99
order first if dated
    first seen, first observed, first appeared
hedge guess
    might, could, could have, may have, might have, must have, would have, probably, likely,
    most likely, more likely, very likely, possibly, possible, perhaps, maybe, may be, suspect*,
    suspicion, suspicions, suspicious, seem, seems, seemed, seemingly, appears to, appear to,
    appeared to, appears that, apparently, presumably, presume*, presumed, looks like,
    look like, looked like, looks as if, points to, point to, pointing to, pointed to, hints at,
    hint at, hinting at, suggests, suggest that, suggests that, suggesting, suggested that,
    indicates that, consistent with, i think, we think, i believe, we believe, believed to,
    thought to, believe that, think that, hypothesis, hypotheses, hypothesise*, hypothesize*,
    hypothetically, potential, potentially, unclear, unlikely, uncertain, not sure, not certain,
    conceivably, conceivable, plausible, plausibly, guess, guessing, speculate*, speculation,
    assume*, assumption, theory, in theory, candidate, candidates, supposedly, allegedly,
    reportedly, arguably, expected to, would, in all likelihood, chances are, i guess, my guess,
    our guess, it is possible, cannot rule out, can't rule out, can not rule out, not ruled out,
    if confirmed, strongly suspect, reminiscent of, smells like, whether, open question,
    unconfirmed, not confirmed, unproven, remains to be seen
hedge guess unless month
    may
hedge guess if opening
    if, unless, in case, should it, had it
advice advice
    should, should be, should have, ought to, recommend*, recommendation, recommendations,
    we suggest, i suggest, suggested action, suggested fix, suggested next step,
    suggest restarting, suggest rolling, it is advisable, advisable, advise*, needs to be,
    need to be, needs to, need to, has to be, have to be, must be, must, must not, please,
    let's, let us, make sure, next step, next steps, action item, action items, to do, todo,
    do not forget, worth checking, worth looking, worth restarting, worth a look,
    would be good to, better to, had better, best to, you can, you could, you may want,
    we could, it would help to, the fix is to, to fix this, to mitigate, to prevent, to avoid,
    in future, in the future, going forward, propose*, proposal, remediation, how to fix,
    as a workaround, workaround, immediate action, follow up action, should not, shouldn't,
    needn't, try to, plan to
comparison more if than_other
    more, higher, greater, larger, bigger, longer, slower, worse, busier, older, heavier,
    hotter, harder
comparison less if than_other
    less, fewer, lower, smaller, shorter, faster, quicker, better, newer, quieter, lighter
order after if than_ahead
    later
order before if than_ahead
    earlier, sooner
order before unless period_alone
    earlier
order after unless period_alone
    later
period baseline if period_alone
    earlier
period incident if period_alone
    later
novelty new unless dated
    unseen, not seen in the baseline, never seen in the baseline, absent from the baseline,
    absent before
comparison most
    hardest hit, worst hit, worst affected, most affected, busiest, the most, most common,
    most frequent
comparison most if ranking
    highest, worst, largest, biggest, slowest, longest, greatest, heaviest
statistic max if extreme
    highest, worst, largest, biggest, slowest, longest, greatest
comparison least
    least, least affected
comparison least if ranking
    lowest, smallest, fastest, shortest, fewest, quickest
statistic min if extreme
    lowest, smallest, fastest, shortest, fewest, quickest
cause backward unless factor_next
    slowed down by, slowed by, driven up by, held up by
cause forward if making
    made, makes, make, making
cause forward if object_next
    produced, produces, producing, filled, fills, filling, drained, drains, draining, exhausted,
    exhausts, exhausting, clogged, clogs, flooded, floods, starved, starves, starving,
    overloaded, overloads, overwhelmed, overwhelms, saturated, saturates, slowed, slows,
    slowing, choked, chokes, crashed, broke, breaks, degraded, degrades, stalled, stalls,
    delayed, delays, delaying
cause forward unless relying
    in turn, which in turn
cause forward if acting
    that is what, this is what, which is what
"""
