"""English words for what happened: how it moved, whether it was there, how far, how long."""

__all__ = ["LISTING"]

# `rows.rows_of` reads it: a line that says what, and below it the phrases that say so.
LISTING = """\
nothing
    as well as, as well, set up, sets up, setting up, setup, back up, backs up, follow up,
    following up, pick up, picked up, picks up, make up, makes up, made up, up and running,
    end up, ends up, ended up, ending up, clean up, cleaned up, look up, looked up, sum up,
    give up, gave up, gives up, giving up, hold up, held up, start up, starts up, started up,
    come up with, catch up, caught up, brought up, bring up, up front, up to date, up to now,
    up to this point, freed up, free up, frees up, wake up, woke up, match up, line up,
    lined up, wrap up, bound up, up stream, summed up, added up, back on its feet, not only,
    not just, not to mention, no doubt, no matter, no idea, whether or not, if not, at all,
    after all, above all, all but, all right, in all, all in all, all told, all day,
    all the same, all along, all of a sudden, first of all, for all, every second, every minute,
    every hour, every day, every time, every now and then, every few, every other, each second,
    each minute, each hour, each time, each other, so that, so far, so called, even so, so much,
    so many, so on, as soon as, as long as, as far as, as for, as of, as to, as if, such as,
    as noted above, as shown above, see above, mentioned above, listed above, below is,
    see below, listed below, shown below, under load, under pressure, under investigation,
    under review, under way, under control, compared to, compared with, relative to,
    in comparison with, next to, according to, with respect to, with regard to, belongs to,
    sent to, connected to, in the first place, at first sight, at first glance, first party,
    last resort, on the other hand, in some sense, some time, some kind, some sort,
    the most part, at the very least, more or less, once more, any more details,
    drop in replacement, drop down, drop table, drop index, rise to the occasion, fall back,
    falls back, fell back to, fall under, falls under, over time, over the window,
    over the period, over the course, over here, over there, all over, voice over, over again,
    going forward, no op, no ops, might as well, less of a, nor any, never mind, before long,
    month of may, in time, root user, root access, growing pains, spike arrest, high level,
    low level, long term, short term, in order to, in order, out of order, still image,
    in short, at most once, at least once, exactly once, from scratch, from now on, from there,
    from here, to date, to do with, cause for concern, cause for alarm, for good cause,
    because cause, steady hand, increase in scope, in return, a must, last mile,
    last but not least, likely enough, at once, once again, once every, once in, once per,
    once a, came back as, may open, the following, recording stopped, recording stops,
    recording ended, recording ends, recording stop, data ended, data ends, data stop,
    data stops, window ends, window ended, was raised, were raised, been raised, is raised,
    are raised, a longer, the longer stretch, in a row, nowhere near, as opposed to
direction up
    rise, rises, rose, risen, rising, climb*, climb* up, spike*, soar*, surge*, jump*, jump* up,
    increase*, uptick, upticks, upswing, upsurge, grow, grows, grew, grown, growing, growth,
    balloon*, escalate*, escalation, elevate*, shoot up, shoots up, shot up, shooting up,
    creep up, creeps up, crept up, creeping up, crept upwards, go up, goes up, went up, gone up,
    going up, ramp* up, tick* up, inch* up, edge* up, step** up, trend* up, trended upwards,
    trending upwards, trend* upward, skyrocket*, explode*, exploding, mushroom*, swell, swells,
    swelled, swollen, swelling, leap, leaps, leapt, leaped, leaping, mounting, pile* up,
    build up, builds up, built up, building up, buildup, accumulate*, accumulation, multiplied,
    multiplying, expand*, expansion, intensif*, intensified, intensifies, upward, upwards,
    rocket*, drive up, drove up, driven up, push* up, pushed up, came up from, moved up,
    move up, moves up, moving up, drift* up, drifted upwards, ratchet* up, bump* up, slow* down,
    slowed, slows, slowing, slowdown, slowdowns, got slow, gets slow, stretched, stretch* out,
    dragged out, lengthen*, heighten*, amplif*, amplified, amplifies, inflate*, bloat*, rise in,
    increase in, jump in, spike in, surge in, swing up, swung up, zoomed up, flew up, burst*,
    shooting upward, topped up, hiked, scaled up, scale up, scaled out, scale out,
    went through the roof, through the roof, off the charts, backed up, backs up, backing up,
    filled up, fills up, fill up, filling up
direction up unless raised_alert
    raise, raises, raised, raising
direction up if moving
    up, upped
direction down
    fall, falls, fell, fallen, falling, fall off, falls off, fell off, fallen off, falling off,
    drop**, drop** off, drop** away, drop off, dropoff, fell away, fall away, decrease*,
    decline*, sink, sinks, sank, sunk, sinking, plunge*, plummet*, tanked, tanking, collapse*,
    dip**, shrink, shrinks, shrank, shrunk, shrinking, go down, goes down, went down, gone down,
    going down, come down, comes down, came down, coming down, slide, slides, slid, sliding,
    slump*, tumble*, cratered, cratering, reduce*, reduction, reductions, diminish*, dwindle*,
    taper* off, taper*, eased, easing, ease off, eased off, nosedive*, nose dived, lowered,
    lowers, lowering, recede*, sag**, downward, downwards, downtick, downturn, trend* down,
    tick* down, drift* down, edge* down, inch* down, step** down, ramp* down, scaled down,
    scale down, scaled in, sped up, speed up, speeds up, speeded up, shorten*, fell back, ebb*,
    wane*, deflate*, sell off, bottomed out, went through the floor, drop in, dip in, fall in,
    decrease in, decline in, reduction in, cut back, swung down, nosediving, came back down,
    comes back down, coming back down, come back down, back down, went back down,
    gone back down, going back down, crash* to, drained away, thinned out
direction down if moving
    down, downed
direction flat
    flat, flatline*, flat lined, flat line, flat lines, stable, steady, steadily at, unchanged,
    constant, stagnant, plateau, plateaus, plateaued, plateauing, level* off, levelled off,
    levelling off, held steady, holds steady, hold steady, holding steady, stayed put,
    no significant change, no real change, no visible change, no noticeable change,
    no notable change, no meaningful change, no material change, no movement, did not change,
    didn't change, has not changed, have not changed, had not changed, hasn't changed,
    haven't changed, not changed, never changed, did not move, didn't move, does not change,
    doesn't change, do not change, did not budge, didn't budge, never moved, hardly moved,
    barely moved, hardly changed, hardly changes, barely changed, scarcely changed,
    remained the same, stayed the same, stays the same, remains the same, unaffected, untouched,
    unmoved, unaltered, stood still, as before, same as before, much the same, about the same,
    within its band, within noise, within the noise, business as usual, stationary, stabilised,
    stabilized, stopped rising, stopped growing, stopped climbing, stopped falling,
    stopped increasing, held at, holds at, holding at, hovered around, hovered at,
    hovering around, hovering at, hovers around, hovers at, sat at, sits at, sitting at,
    stayed at, stays at, staying at, kept at, remained at, remains at, remaining at,
    stayed around, remained around, stayed near, remained near, held around, unimpaired,
    unperturbed, undisturbed, nothing happened to, nothing happened, nothing changed
direction flat if staying
    normal, healthy, quiet, fine
direction appeared unless seeming
    appear, appears, appeared, appearing, show up, shows up, showed up, shown up, showing up,
    emerge*, surface*, kick* in, pop** up, crop** up, spring up, sprang up, came into being,
    came to light, turned up, turn up, turns up, cropped up, materialise*, materialize*,
    came into existence, set in, arose, arise, arises, arisen, arising, came up, come up,
    comes up
direction vanished
    disappear*, vanish*, went dark, going dark, goes dark, gone dark, went silent, gone silent,
    fell silent, went quiet, gone quiet, dried up, dries up, stopped reporting,
    stopped emitting, stopped sending, stopped responding, stop responding, stopped answering,
    stopped serving, stopped logging, stops responding, stops reporting, stopped being reported,
    stopped producing, stopped arriving, no data since, gone missing, went missing,
    fell off the map, died out, dies out, evaporate*, petered out
absence none
    zero, without, without a single, not a single, not one, not a trace of, none, nothing,
    nobody, no one, nowhere, no sign of, no signs of, no evidence of, no trace of, free of,
    error free, absent, absence, absence of, lack of, lacked, lacks, lacking, nil, missing from,
    devoid of, no hint of, no indication of, no indications of, clean of, did not see any,
    didn't see any, nor a single, not any, not once, at no point, no single, no such, zero of,
    no record of, no records of, in no way, fail to find, failed to find, could not find,
    found none, saw none, non existent, nonexistent, not present, not found, not seen,
    not observed
negation not
    not, did not, didn't, does not, doesn't, do not, don't, was not, wasn't, were not, weren't,
    is not, isn't, are not, aren't, has not, hasn't, have not, haven't, had not, hadn't, cannot,
    can't, could not, couldn't, won't, will not, wouldn't, not yet, neither, nor, unable to,
    rather than, instead of, ruled out, rules out, rule out, refute*, disproved, disproves,
    exonerate*, unrelated to, unrelated, nothing to do with, not related to, far from, ain't,
    not because of, not due to, exclude*, innocent, not to blame, not the cause,
    not the root cause, not the culprit, refused to, failed to, fails to, has yet to,
    have yet to, had yet to, is yet to
scope all
    all, every, each, everything, everybody, everyone, all of, every one of, every single,
    each of, each and every, the whole of, entire, the entire, across the board,
    without exception, everywhere, a hundred percent of, all other, every other one of
scope only
    only, alone, solely, exclusively, nothing but, nothing except, no other, nobody else,
    no one else, nowhere else, none other, none of the others, only one, the only, a sole,
    the sole, sole, uniquely, single handedly, limited to, confined to, restricted to,
    isolated to, purely, merely, nothing else, no other service, just one, specific to
scope only if number_next
    just
scope both
    both, both of, either, either of, the two of them, the pair
scope none
    none of, neither of, not one of, no part of, not any of
scope any
    any, any of, anything, anyone, whichever, whatever
scope most
    most of, mostly, mainly, largely, predominantly, the majority, a majority, majority of,
    the bulk of, the vast majority of, most all, almost all, nearly all, nearly every,
    almost every, practically all, virtually all, the lion's share, for the most part,
    primarily, overwhelmingly, chiefly
scope most unless superlative
    most
scope some
    some, some of, several, several of, a few, a few of, a handful of, partly, partially,
    a number of, certain, a couple of, a portion of, a fraction of, not all, not every,
    not everything, a minority of, occasional, occasionally, sporadic, intermittent,
    intermittently, sporadically, sometimes, at times
course ongoing
    continue*, continuing, ongoing, persist*, persistent, remain, remains, remained, remaining,
    unresolved, not over, still going on, still going, still ongoing, kept on, keeps on,
    in progress, carries on, carried on, to this day, lingers, lingered, lingering,
    not yet over, has not ended, has not stopped, hasn't stopped, hasn't ended, ever since,
    unabated, sustained, underway, without interruption, has not gone away, not recovered,
    not yet recovered, has not recovered, have not recovered, hasn't recovered,
    haven't recovered, had not recovered, did not recover, didn't recover, never recovered,
    without recovering, no recovery, not been resolved, not resolved, yet to recover,
    has yet to recover, have yet to recover, no end in sight, no sign of recovery,
    no signs of recovery, shows no sign of, show no sign of, stuck, stayed up, stayed high,
    stays high, stayed elevated, remained high, remained elevated, remains elevated,
    remains high
course ongoing if ongoing_next
    still, kept, keeps, keep, keeping
course over
    recover*, recovery, resolve*, resolution, subside*, back to normal, returned to normal,
    returns to normal, return to normal, return* to baseline, back to baseline,
    back to its baseline, back to their baseline, back at baseline, back to usual,
    came back to normal, settled down, settle* back, calmed down, calm down, died down,
    dies down, went away, goes away, gone away, going away, stopped, stops, stopping, cease,
    ceases, ceased, ceasing, no longer, no more, not any longer, not anymore, anymore, fixed,
    mitigated, mitigation took effect, heal*, self healed, is over, was over, are over,
    now over, were over, be over, been over, all over by, over since, ended, come to an end,
    came to an end, comes to an end, is done, finished, abate*, all clear, clears, clear up,
    cleared up, bounced back, bounce back, rebound*, back up, normalised, normalized,
    normalising, normalizing, back to where it was, back to where they were, restored,
    back online, short lived, transient, for a while, until it recovered, passed, blew over,
    wore off, back to its usual level, back to their usual level, back at its usual level,
    back to the usual, returned to its usual, returned to their usual, returned to usual,
    back within, back down to normal, cleared itself, alert cleared, alerts cleared,
    alert has cleared, alert had cleared
novelty new unless dated
    newly, first seen, first observed, for the first time, never seen before, never before,
    never seen, not seen before, unseen before, unprecedented, novel, brand new,
    had never been seen, has never been seen, not been seen before, previously unseen,
    previously unknown, hitherto unseen, unheard of, had not occurred before,
    had not been seen before, did not exist before, didn't exist before, first occurrence,
    first appearance, first appeared, only appeared
novelty new unless new_thing
    new
novelty known
    pre existing, preexisting, long standing, longstanding, known, known issue, already present,
    already there, existed before, was there before, were there before, has always, have always,
    had always, been there all along, all along, background noise, chronic, nothing new,
    not new, not a new, old, an old, well known, recurring, as ever, predate*, same old,
    habitually, also present before, seen before, occurred before, happened before, known about
course over if recovering
    came back, comes back, come back, coming back
direction up if turning
    slower, higher, larger, bigger, greater
direction up if lengthening
    longer
direction down if turning
    lower, faster, quicker, smaller, less, fewer
direction down if lengthening
    shorter
direction up if gaining
    more
absence none unless bounding
    never, no
direction flat unless recorded_next
    no change, no changes
absence none if recorded_next
    no change, no changes
"""
