#include "stats/sequential.h"

#include <math.h>

/* Enough for 20 looks: the interval is then 24 wide, and the standard deviation of a part is 1.
 * More nodes change the 12th digit (tests/stats/sequential_test.c compares with published
 * tables). */
enum { NODES = 96 };

struct rule {
    double node[NODES], weight[NODES]; /* of the integral from -1 to 1 */
};

/* Roots of the Legendre polynomial, by Newton's method, which starts at cosines. */
static void rule_init(struct rule *rule)
{
    static const double pi = 3.14159265358979323846;
    for (int i = 0; i < NODES; i++) {
        double x = cos(pi * (i + 0.75) / (NODES + 0.5)), slope = 1;
        for (int step = 0; step < 20; step++) {
            double before = 1, value = x;
            for (int k = 2; k <= NODES; k++) {
                double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
                before = value;
                value = next;
            }
            slope = NODES * (x * value - before) / (x * x - 1);
            double change = value / slope;
            x -= change;
            if (fabs(change) < 1e-15)
                break;
        }
        rule->node[i] = x;
        rule->weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

static double density(double z)
{
    static const double root_of_two_pi = 2.50662827463100050242;
    return exp(-z * z / 2) / root_of_two_pi;
}

static double error_by(const struct rule *rule, double critical, uint32_t looks)
{
    double at[NODES], mass[NODES]; /* the density times the weight */
    double left = 0;
    for (int i = 0; i < NODES; i++) {
        at[i] = critical * rule->node[i];
        mass[i] = density(at[i]) * rule->weight[i] * critical;
    }
    for (uint32_t look = 2; look <= looks; look++) {
        double wide = critical * sqrt(look), next_at[NODES], next_mass[NODES];
        for (int i = 0; i < NODES; i++) {
            double sum = 0;
            next_at[i] = wide * rule->node[i];
            for (int j = 0; j < NODES; j++)
                sum += mass[j] * density(next_at[i] - at[j]);
            next_mass[i] = sum * rule->weight[i] * wide;
        }
        for (int i = 0; i < NODES; i++) {
            at[i] = next_at[i];
            mass[i] = next_mass[i];
        }
    }
    for (int i = 0; i < NODES; i++)
        left += mass[i];
    return 1 - left;
}

static int is_valid(uint32_t looks)
{
    return looks >= 1 && looks <= FLM_SEQUENTIAL_MOST_LOOKS;
}

double flm_sequential_error(double critical, uint32_t looks)
{
    struct rule rule;
    if (!is_valid(looks) || !(critical > 0))
        return NAN;
    rule_init(&rule);
    return error_by(&rule, critical, looks);
}

double flm_pocock_critical(double alpha, uint32_t looks)
{
    struct rule rule;
    double low = 0, high = 10;
    if (!is_valid(looks) || !(alpha > 0 && alpha < 1))
        return NAN;
    rule_init(&rule);
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (error_by(&rule, middle, looks) > alpha)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double flm_pocock_level(double alpha, uint32_t looks)
{
    return looks == 1 && alpha > 0 && alpha < 1
               ? alpha
               : erfc(flm_pocock_critical(alpha, looks) / sqrt(2.0));
}
