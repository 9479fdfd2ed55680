// lines.rs - as lines.c, for Rust.
use std::collections::BTreeMap;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}
extern "C" {
    fn clock_gettime(which: i32, now: *mut Timespec) -> i32;
}
const THREAD_TIME: i32 = 3;
const PROCESS_TIME: i32 = 2;

fn clock(which: i32) -> i64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    unsafe { clock_gettime(which, &mut now) };
    now.seconds * 1_000_000_000 + now.nanoseconds
}

struct Known {
    lines: BTreeMap<String, i64>,
    last: i64,
}

impl Known {
    #[inline(never)]
    fn lap(&mut self, x: &mut u64, kind: &str, line: u32, group: &str) {
        *x = std::hint::black_box(*x);
        if !kind.is_empty() {
            *self.lines.entry(format!("{kind} lines.rs {line} - {group}")).or_insert(0) += clock(THREAD_TIME) - self.last;
        }
        self.last = clock(THREAD_TIME);
    }
}

#[inline(always)]
fn step(x: u64) -> u64 {
    (x ^ x >> 17).wrapping_mul(0x9E3779B97F4A7C15)
}

#[inline(never)]
fn spin<const N: u64>(mut x: u64, n: u64) -> u64 {
    let mut i = 0;
    while i < N * n { x = step(x); i += 1; }
    x
}

#[inline(never)]
fn calls(known: &mut Known, mut x: u64, n: u64) -> u64 {
    known.lap(&mut x, "", 0, "");
    x = spin::<3>(x, n);
    known.lap(&mut x, "total", line!() - 1, "calls");
    x = spin::<1>(x, n);
    known.lap(&mut x, "total", line!() - 1, "calls");
    let mut i = 0;
    while i < n { x = (x ^ x >> 17).wrapping_mul(0x9E3779B97F4A7C15); i += 1; }
    known.lap(&mut x, "total", line!() - 1, "-"); // the multiplication is a function
    x
}

fn main() {
    let milliseconds: i64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut known = Known { lines: BTreeMap::new(), last: 0 };
    let mut x = 1;
    while clock(PROCESS_TIME) < milliseconds * 1_000_000 {
        x = calls(&mut known, x, 2000 + x % 16000);
    }
    for (key, ns) in &known.lines {
        println!("{key} {ns}");
    }
    println!("all - - - - {}", clock(PROCESS_TIME));
}
