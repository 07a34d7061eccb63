/* Threads that share an inference: a program's steps run one after the other, and the parts of one
 * step at the same time.
 *
 * Nobody waits for a thread that has not begun: threads take parts as they come, and the caller's
 * takes all that nobody else does. So an inference ends where there are no threads at all, because
 * the system has none or the process is a fork of the one that had them.
 *
 * Between parts threads look for more for some time, then they sleep.
 */
#pragma once

#include "engine.h"

enum { AR_MOST_PARTS = 32767 }; /* of a step */

/* Bytes of a team of so many threads, the caller's among them; aligned to 64. */
int64_t ar_team_bytes(int32_t threads);

/* Makes a team, for steps that take so many bytes of workspace, a multiple of 64. Threads begin with
 * the first inference. */
void ar_team_make(ar_team *team, int32_t threads, int64_t workspace);

/* Ends the threads, which finish what they have taken. Steps run on the caller's from then on. */
void ar_team_end(ar_team *team);

/* How many threads there are now, the caller's among them. */
int32_t ar_team_size(ar_team *team);

/* An inference begins: starts the threads, or wakes them. */
void ar_team_call(ar_team *team);

/* Runs a step that has parts. AR_UNSUPPORTED if one of them answers that. */
ar_status ar_team_run(ar_team *team, const ar_step *step, const ar_tensor *io, uint8_t *workspace);
