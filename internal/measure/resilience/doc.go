// Package resilience shows what users lose when they move or something fails: numbered packets
// of some UEs in both directions, one incident meanwhile, and which packets are missing.
package resilience
