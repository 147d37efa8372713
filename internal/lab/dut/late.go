package dut

// Late marks the error of what did not happen in time: a busy machine causes it as well as the UPF.
func Late(err error) error { return lateError{err} }

type lateError struct{ error }

// Timeout reports that it is a matter of time, as net.Error's does.
func (lateError) Timeout() bool { return true }

// Unwrap gives the error itself.
func (e lateError) Unwrap() error { return e.error }
