"""What holds for all tests: nothing in them depends on how fast the machine is just now."""

from hypothesis import HealthCheck, settings

# Hypothesis gives each example 200 ms and refuses slow generators: on a busy machine both fail at random.
settings.register_profile("heal", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("heal")
