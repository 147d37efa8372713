// Package agent serves a testbed: it takes jobs from a hub, runs them one at a time and
// hands their results in. It dials out, and nobody need reach it.
//
// A testbed is an agent's while it renews its lease. An agent that cannot renew it ends
// its run before the lease has passed, so that no job runs in two places and no testbed
// has two runs, whatever the network does.
package agent
