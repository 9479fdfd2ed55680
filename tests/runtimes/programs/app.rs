// Three tenths of a second in leaf, below functions that must all be in its stacks, and two in rest;
// says how long it was in each.
extern "C" {
    fn clock() -> i64; // microseconds of CPU time
}

struct Work<T> {
    seed: T,
}

impl Work<u64> {
    #[inline(never)]
    fn leaf(&self, n: u64) -> u64 {
        let mut sum = self.seed;
        for i in 0..n {
            sum = unsafe { std::ptr::read_volatile(&(sum + i % 7)) };
        }
        sum
    }

    #[inline(never)]
    fn rest(&self, n: u64) -> u64 {
        let mut sum = self.seed;
        for i in 0..n {
            sum = unsafe { std::ptr::read_volatile(&(sum + i % 5)) };
        }
        sum
    }

    #[inline(never)]
    fn middle(&self, n: u64) -> u64 {
        let mut sum = 0;
        for _ in 0..10 {
            sum += self.leaf(n);
        }
        sum + 1
    }
}

#[inline(never)]
fn outer(n: u64) -> u64 {
    let call = |k: u64| Work { seed: k }.middle(k) + 1;
    call(n) + 1
}

#[inline(never)]
fn other(n: u64) -> u64 {
    let mut sum = 0;
    for _ in 0..10 {
        sum += Work { seed: n }.rest(n);
    }
    sum + 1
}

fn now() -> f64 {
    unsafe { clock() as f64 / 1e6 }
}

fn spend(f: fn(u64) -> u64, seconds: f64) -> f64 {
    let from = now();
    let mut sum = 0u64;
    while now() - from < seconds {
        sum = sum.wrapping_add(f(20000));
    }
    unsafe { std::ptr::read_volatile(&sum) };
    now() - from
}

fn main() {
    let in_leaf = spend(outer, 0.3);
    let in_rest = spend(other, 0.2);
    println!("{} {}", in_leaf, in_rest);
}
