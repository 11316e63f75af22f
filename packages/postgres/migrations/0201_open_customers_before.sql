-- Put aside by 0089, where that ran before this line was there: nobody calls it any more.
DROP FUNCTION IF EXISTS open_customers_before;
