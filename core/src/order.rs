//! Sorting of entries. A library's sort is compiled anew for each type and order, some kilobytes each time: here is
//! one for all, of indices, and a compact build has a small one.

use core::cmp::Ordering;

use alloc::vec::Vec;

/// The indices below `n` in order; equal ones stay as they are.
pub(crate) fn sorted(n: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    #[cfg(not(samewire_compact))]
    order.sort_by(|&a, &b| compare(a, b));
    #[cfg(samewire_compact)]
    merge_sort(&mut order, compare);
    order
}

/// Merges runs of one, two, four …: O(n log n) whatever the order.
#[cfg(any(samewire_compact, test))]
fn merge_sort(order: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    let n = order.len();
    let mut from: Vec<usize> = Vec::with_capacity(n);
    let mut width = 1;
    while width < n {
        from.clear();
        from.extend_from_slice(order);
        let mut out = 0;
        while out < n {
            let (mut a, middle) = (out, (out + width).min(n));
            let (mut b, end) = (middle, (out + 2 * width).min(n));
            while out < end {
                let left = a < middle && (b == end || compare(from[a], from[b]) != Ordering::Greater);
                let taken = if left { &mut a } else { &mut b };
                order[out] = from[*taken];
                *taken += 1;
                out += 1;
            }
        }
        width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sorts_agree_and_are_stable() {
        for n in [0, 1, 2, 3, 7, 8, 9, 100, 1000] {
            for spread in [1, 3, 1000] {
                let rank = |i: usize| (i.wrapping_mul(2_654_435_761) >> 7) % spread;
                let mut want: Vec<usize> = (0..n).collect();
                want.sort_by_key(|&i| rank(i));
                assert_eq!(sorted(n, &mut |a, b| rank(a).cmp(&rank(b))), want);
                let mut got: Vec<usize> = (0..n).collect();
                merge_sort(&mut got, &mut |a, b| rank(a).cmp(&rank(b)));
                assert_eq!(got, want);
            }
        }
    }
}
