// Package bench brings a DUT up: it opens the site, starts the DUT there, and stops it. Trials, behaviour cases, incidents
// and applications are built on it.
package bench
