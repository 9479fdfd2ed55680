// Three tenths of a second in leaf, below functions that must all be in its stacks, and two in rest;
// says how long it was in each.
extern "c" fn clock() c_long; // microseconds of CPU time
extern "c" fn printf(format: [*:0]const u8, ...) c_int;

noinline fn leaf(n: u64) u64 {
    var sum: u64 = 0;
    var i: u64 = 0;
    while (i < n) : (i += 1) {
        @as(*volatile u64, &sum).* = sum + i % 7;
    }
    return sum;
}

noinline fn rest(n: u64) u64 {
    var sum: u64 = 0;
    var i: u64 = 0;
    while (i < n) : (i += 1) {
        @as(*volatile u64, &sum).* = sum + i % 5;
    }
    return sum;
}

noinline fn middle(n: u64) u64 {
    var sum: u64 = 0;
    var i: u64 = 0;
    while (i < 10) : (i += 1) {
        sum += leaf(n);
    }
    return sum + 1;
}

noinline fn outer(n: u64) u64 {
    return middle(n) + 1;
}

noinline fn other(n: u64) u64 {
    var sum: u64 = 0;
    var i: u64 = 0;
    while (i < 10) : (i += 1) {
        sum += rest(n);
    }
    return sum + 1;
}

fn spend(f: *const fn (u64) u64, seconds: f64) f64 {
    const from = clock();
    var sum: u64 = 0;
    while (@as(f64, @floatFromInt(clock() - from)) < seconds * 1e6) {
        @as(*volatile u64, &sum).* = sum +% f(20000);
    }
    return @as(f64, @floatFromInt(clock() - from)) / 1e6;
}

pub fn main() void {
    const in_leaf = spend(outer, 0.3);
    const in_rest = spend(other, 0.2);
    _ = printf("%f %f\n", in_leaf, in_rest);
}
