// Package verdict judges a trial from its evidence: whether it is valid, and what
// limited it. All functions are pure.
package verdict
