/* A straightforward C version of Astralis (../astralis_envs/RULES.md, fixed setup, no bonus stones) that plays uniformly random games:
 * what a competent programmer writes first. It is a yardstick for speed, not for rules.
 *
 *   cc -O3 -march=native -o astralis_naive astralis_naive.c && ./astralis_naive
 *
 * benchmarks/peers/ calls `play`. Alone, it prints two figures, in million moves a second on one core:
 *   moves: list the legal moves, pick one, play it
 *   full:  also write the whole action mask (1183 bytes) and seven observation planes (7 x 169 bytes) before each move
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 8, CELLS = 169, ACTIONS = CELLS * 7, STALL = 60, GAMES = 64 };
typedef struct {
    int8_t stone[CELLS], near[2][CELLS];
    int16_t ship[2];
    int8_t left[2], player, over;
    int16_t unexplored, stall;
    uint64_t rng;
} State;
static int16_t next[CELLS][6];

static void tables(void) {
    static const int dq[6] = {1, 0, -1, -1, 0, 1}, dr[6] = {0, 1, 1, 0, -1, -1};
    int id[2 * N - 1][2 * N - 1], n = 0;
    memset(id, -1, sizeof id);
    for (int r = -(N - 1); r < N; r++)
        for (int q = -(N - 1); q < N; q++)
            if (abs(q + r) < N) id[r + N - 1][q + N - 1] = n++;
    for (int r = 0; r < 2 * N - 1; r++)
        for (int q = 0; q < 2 * N - 1; q++)
            if (id[r][q] >= 0)
                for (int d = 0; d < 6; d++) {
                    int a = r + dr[d], b = q + dq[d];
                    next[id[r][q]][d] = a < 0 || b < 0 || a > 2 * N - 2 || b > 2 * N - 2 ? -1 : id[a][b];
                }
}
static uint32_t below(State *s, uint32_t n) {
    uint64_t x = s->rng;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    s->rng = x;
    return (uint32_t)(((x >> 32) * n) >> 32);
}
static void reset(State *s) {
    memset(s->stone, 0, sizeof s->stone);
    memset(s->near, 0, sizeof s->near);
    s->ship[0] = CELLS - 4, s->ship[1] = 3, s->left[0] = s->left[1] = 30;
    s->player = s->over = 0, s->unexplored = CELLS, s->stall = 0;
}
/* Legal actions into list (if any) and mask (if any); returns how many. */
static int legal(const State *s, int16_t *list, int8_t *mask) {
    int p = s->player, foe = s->ship[1 - p], n = 0;
    if (mask) memset(mask, 0, ACTIONS);
    for (int d = 0; d < 6; d++)
        for (int c = next[s->ship[p]][d]; c >= 0 && c != foe && (!s->stone[c] || s->stone[c] == p + 1); c = next[c][d]) {
            if (s->stone[c]) continue;
            if (list) list[n] = c * 7;
            if (mask) mask[c * 7] = 1;
            n++;
            if (!s->left[p]) continue;
            for (int k = 0; k < 6; k++) {
                int t = next[c][k];
                if (t >= 0 && t != foe && !s->stone[t] && !s->near[0][t] && !s->near[1][t]) {
                    if (list) list[n] = c * 7 + 1 + k;
                    if (mask) mask[c * 7 + 1 + k] = 1;
                    n++;
                }
            }
        }
    return n;
}
static void observe(const State *s, int8_t *o) {
    int p = s->player;
    for (int i = 0; i < CELLS; i++) {
        int mine = s->stone[i] == p + 1, theirs = s->stone[i] == 2 - p, a = s->near[p][i], b = s->near[1 - p][i];
        o[i] = mine, o[CELLS + i] = theirs;
        o[2 * CELLS + i] = mine || (a && !b), o[3 * CELLS + i] = theirs || (b && !a), o[4 * CELLS + i] = a && b;
        o[5 * CELLS + i] = s->ship[p] == i, o[6 * CELLS + i] = s->ship[1 - p] == i;
    }
}
static void step(State *s, int a) {
    int p = s->player, c = a / 7, k = a % 7;
    s->ship[p] = c, s->stall++;
    if (k) {
        int t = next[c][k - 1];
        s->stone[t] = p + 1, s->left[p]--, s->stall = 0, s->unexplored--;
        for (int d = 0; d < 6; d++) {
            int u = next[t][d];
            if (u < 0) continue;
            s->unexplored -= !s->near[0][u] && !s->near[1][u];
            s->near[p][u]++;
        }
    }
    s->player = 1 - p, s->over = !s->unexplored || s->stall >= STALL;
}
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
/* Goes `rounds` times over all the games, a move in each; returns how many moves were made. full: mask and planes, too. */
long play(int full, int rounds) {
    static State games[GAMES];
    static int8_t masks[GAMES][ACTIONS], planes[GAMES][7 * CELLS];
    int16_t list[512];
    long moves = 0;
    if (!games[0].rng) {
        tables();
        for (int g = 0; g < GAMES; g++) games[g].rng = 7919u * (g + 1), reset(games + g);
    }
    for (int it = 0; it < rounds; it++)
        for (int g = 0; g < GAMES; g++) {
            State *s = games + g;
            int n = legal(s, full ? 0 : list, full ? masks[g] : 0), a = 0;
            if (full) observe(s, planes[g]);
            if (!n) { s->player = 1 - s->player; if (++s->stall >= STALL) reset(s); continue; }
            int r = below(s, n);
            if (full) { for (; !masks[g][a] || r--; a++) {} } else a = list[r];
            step(s, a), moves++;
            if (s->over) reset(s);
        }
    return moves;
}
int main(void) {
    for (int full = 0; full < 2; full++) {
        double best = 0;
        for (int rep = 0; rep < 5; rep++) {
            double t = seconds();
            long moves = play(full, 8000);
            double rate = moves / (seconds() - t) / 1e6;
            if (rate > best) best = rate;
        }
        printf("%s %.3f\n", full ? "full" : "moves", best);
    }
}
