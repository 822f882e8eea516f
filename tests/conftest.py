"""What holds for all tests: nothing in them depends on how fast the machine is, nor on how they were started."""

import signal

from hypothesis import HealthCheck, settings

# What a background job, `nohup` or a service manager ignores or blocks, the programs that tests start would, too.
COMMON = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
for number, usual in COMMON.items():
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)
signal.pthread_sigmask(signal.SIG_UNBLOCK, COMMON)

# Hypothesis gives each example 200 ms and refuses slow generators: on a busy machine both fail at random.
settings.register_profile("heal", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("heal")
