-- A closed month goes with its profile.
GRANT DELETE ON closings TO tributary_app;
