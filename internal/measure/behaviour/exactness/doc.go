// Package exactness has behaviour cases that measure: how exactly maximum bit rates are
// enforced, and usage is counted and reported under load.
package exactness
