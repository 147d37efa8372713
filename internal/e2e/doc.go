// Package e2e holds the tests that build upflab and run it as a user does, in
// real network namespaces. It has no code of its own.
package e2e
