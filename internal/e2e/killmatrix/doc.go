// Package killmatrix tests that whatever happens to a run, and whenever, the machine is
// afterwards as it was: it interrupts set-up and take-down after (SIGKILL, SIGHUP) or in
// (ENOSPC) each system call that changes the machine, cleans up, and compares a snapshot
// with the one before. It has tests only:
//
//	go test ./internal/e2e/killmatrix -run TestMatrix -points 200 -v
package killmatrix
