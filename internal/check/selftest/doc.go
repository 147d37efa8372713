// Package selftest proves upflab on a device whose behaviour is known: it runs
// measurements as a user's run does, with the calibrator as DUT, and compares
// what upflab reports with the calibrator's ledger, quantity by quantity.
//
// Counts have to agree packet for packet, on any machine that has a CPU for each
// role. Times have to agree within their tolerances; where a machine that is not
// alone disturbs them, the experiment is made again, and its table says so.
package selftest
