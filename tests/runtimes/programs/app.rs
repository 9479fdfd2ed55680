// Half a second in leaf, below functions that must all be in its stacks.
use std::time::Instant;

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

fn main() {
    let start = Instant::now();
    let mut sum = 0u64;
    while start.elapsed().as_millis() < 1000 {
        sum = sum.wrapping_add(outer(20000));
    }
    println!("{}", sum);
}
