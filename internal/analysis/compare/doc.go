// Package compare holds two results against each other: which figures of a UPF
// got better, which worse, and where it cannot be told. Its functions are pure.
//
// Three rules hold. A difference is called one only when it exceeds the
// scatter of the repeats, with the chance of a single false call in the whole
// comparison below 5 %. A figure that something other than the DUT limited is
// never held against the DUT. Trials that are not valid are excluded and listed.
package compare
