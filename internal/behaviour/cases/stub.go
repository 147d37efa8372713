package cases

func far() []Case          { return nil }
func buffering() []Case    { return nil }
func urr() []Case          { return nil }
func triggers() []Case     { return nil }
func fteid() []Case        { return nil }
func modification() []Case { return nil }
func sessions() []Case     { return nil }
func n4() []Case           { return nil }
func gtpu() []Case         { return nil }
func ip() []Case           { return nil }
